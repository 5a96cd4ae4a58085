// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A picture's description, made without decoding it.
package struct Description<Body: Sendable>: Sendable {
    /// Its rendition is hypothetical, and its `body` is the original's.
    package var answer: Answer<Body>
    /// Metadata of the original.
    package var details: ImageDetails
    /// The original's header; of a TIFF of several pages with the size of the one that the recipe takes.
    package var shown: ImageHeader
    /// JSON with what the recipe asks for of the pixels; nil where it asks for nothing of them.
    package var pixels: Body?
}
