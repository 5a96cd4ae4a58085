// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// The content address of an original: the SHA-256 of its bytes.
package struct OriginalDigest: Sendable, Hashable {
    /// The SHA-256.
    package let digest: Digest
    /// - Parameter digest: the digest of the whole original.
    package init(_ digest: Digest) { self.digest = digest }
}
