// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// The cache key of a rendition: SHA-256 over the original's digest, the canonical recipe and the engine's
/// version. It is equal on every node and after restarts, so it serves as a strong entity tag as well.
package struct RenditionKey: Sendable, Hashable {
    /// The SHA-256.
    package let digest: Digest
    /// - Parameter digest: computed as described above.
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
