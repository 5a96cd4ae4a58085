// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import ImageHeaders

/// What an inspector is asked of one file.
package enum InspectorQuestion: Sendable, Hashable {
    case header
    /// What else there is, of a picture whose header is known.
    case details(ImageHeader)
    /// Both at once.
    case description
    /// The bytes without that coding, in `output`: at most `limit` of them.
    case unpack(ContentCoding, limit: Int)
}
