// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import ImageHeaders

/// A question that the daemon asks an inspector about one file.
package enum InspectorQuestion: Sendable, Hashable {
    case header
    /// The further details of a picture whose header is known.
    case details(ImageHeader)
    /// Header and details together.
    case description
    /// The header for one page of a TIFF, as a recipe names it: −1 is the largest, −2 the smallest.
    case page(Int)
    /// Writes the bytes without this coding to `output`, at most `limit` of them.
    case unpack(ContentCoding, limit: Int)
}
