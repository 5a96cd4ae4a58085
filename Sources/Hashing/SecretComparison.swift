// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

extension UnsafeRawBufferPointer {
    /// Takes as long for wrong bytes as for the right ones, so that a secret cannot be found out byte by byte
    /// (CRYPTO_memcmp(3)). Only the lengths are compared in the open. Allocates nothing.
    package func isSameSecret(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let own = baseAddress, let others = other.baseAddress else { return true }
        return CRYPTO_memcmp(own, others, count) == 0
    }
}
