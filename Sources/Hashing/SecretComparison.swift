// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

extension UnsafeRawBufferPointer {
    /// Constant-time comparison (CRYPTO_memcmp(3)): takes equally long for right and wrong bytes, so that timing reveals no byte
    /// of a secret. The comparison of the lengths is not constant-time. Allocates nothing.
    package func isSameSecret(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let others = other.baseAddress else { return true }
        return CRYPTO_memcmp(own, others, count) == 0
    }
}
