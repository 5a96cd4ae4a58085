// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Names an original by what it is: the SHA-256 of its bytes.
package struct OriginalDigest: Sendable, Hashable {
    package let digest: Digest
    package init(_ digest: Digest) { self.digest = digest }
}
