// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import ImageHeaders

/// A question that the daemon asks an inspector about one file.
package enum InspectorQuestion: Sendable, Hashable {
    case header
    /// The other details of a picture whose header is known.
    case details(ImageHeader)
    /// Header and details at once.
    case description
    /// The header as it is for one page of a TIFF, which a recipe names: −1 is the largest, −2 the smallest.
    case page(Int)
    /// The bytes without that coding, in `output`: at most `limit` of them.
    case unpack(ContentCoding, limit: Int)
}
