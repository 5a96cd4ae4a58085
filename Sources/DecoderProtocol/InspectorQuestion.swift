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
    /// The bytes without that coding, in `output`: at most `limit` of them.
    case unpack(ContentCoding, limit: Int)
}
