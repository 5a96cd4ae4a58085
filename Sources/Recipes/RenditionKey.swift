// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// The cache key of a rendition: SHA-256 over the original's digest, the canonical recipe and the engine's
/// version. Equal on every node and after restarts, so it serves as strong entity tag as well.
package struct RenditionKey: Sendable, Hashable {
    /// SHA-256.
    package let digest: Digest
    /// `digest` must be computed as above.
    package init(_ digest: Digest) { self.digest = digest }

    /// The `ETag` field value: quoted, strong.
    package var entityTag: String {
        String(unsafeUninitializedCapacity: 34) { text in
            text.initialize(repeating: UInt8(ascii: "\""))
            digest.writeHex(to: UnsafeMutableBufferPointer(rebasing: text.dropFirst().prefix(32)))
            return 34
        }
    }
}
