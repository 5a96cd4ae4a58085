// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// A picture that the settings name: a watermark or the fallback picture.
package enum NamedPicture<Body: Sendable>: Sendable {
    /// Fetched and kept like every original.
    case remote(SourceURL)
    /// Read at the start and held in memory.
    case held(HeldPicture<Body>)
}

/// A picture named by the settings, whose bytes stay in memory as long as the daemon runs.
package struct HeldPicture<Body: Sendable>: Sendable {
    let digest: OriginalDigest
    /// Bytes.
    let length: Int
    let header: ImageHeader
    let body: Body
    /// When the picture was read.
    let since: Timestamp

    /// `header`, `digest` and `length` must describe `body`.
    package init(
        digest: OriginalDigest, length: Int, header: ImageHeader, body: Body, since: Timestamp
    ) {
        self.digest = digest
        self.length = length
        self.header = header
        self.body = body
        self.since = since
    }
}
