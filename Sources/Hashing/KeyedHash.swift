// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// Message authentication codes by RFC 2104 with the hash that another service has chosen, by OpenSSL's libcrypto (HMAC(3)). HMAC
/// with SHA-1 is still secure (RFC 6194 §3.3).
package enum KeyedHash: String, Sendable, CaseIterable {
    case sha1, sha256, sha512

    /// The code of the message: 20, 32 or 64 bytes.
    package func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        let algorithm =
            switch self {
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha512: EVP_sha512()
            }
        guard HMAC(algorithm, key, CInt(key.count), message, message.count, &code, &length) != nil
        // Cannot trap: HMAC fails only without memory, where malloc's other callers abort too.
        else { preconditionFailure("libcrypto: out of memory") }
        return Array(code.prefix(Int(length)))
    }
}
