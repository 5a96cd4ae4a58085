// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import CCrypto

/// Message authentication codes by RFC 2104 with SHA-256, by OpenSSL's libcrypto (HMAC(3)).
package enum MessageCode {
    /// - Parameter key: of any length; one of less than 32 bytes is weaker than the code itself (RFC 2104 §3).
    package static func of(_ message: [UInt8], key: [UInt8]) -> Digest {
        Digest { code in
            guard HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, code, nil) != nil
            // Cannot trap: it fails only without memory, where malloc's other callers abort too.
            else { preconditionFailure("libcrypto: out of memory") }
        }
    }
}
