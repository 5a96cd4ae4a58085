// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A picture's description, made without decoding it.
package struct Description<Body: Sendable>: Sendable {
    /// The answer; its rendition is hypothetical, and its `body` is the original's.
    package var answer: Answer<Body>
    /// Metadata of the original.
    package var details: ImageDetails
    /// The original's header. For a TIFF of several pages its size is that of the page that the recipe takes.
    package var shown: ImageHeader
    /// JSON with the recipe's questions about the pixels answered; nil if the recipe asks none.
    package var pixels: Body?
}
