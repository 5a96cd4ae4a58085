// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Names a rendition by what went into it: SHA-256 over the original's digest, the canonical recipe and the
/// engine's version. Equal on every node and over restarts, so it is the strong entity tag as well.
package struct RenditionKey: Sendable, Hashable {
    package let digest: Digest
    package init(_ digest: Digest) { self.digest = digest }

    /// The `ETag` field value: quoted, strong.
    package var entityTag: String { "\"\(digest.hex.prefix(32))\"" }
}
