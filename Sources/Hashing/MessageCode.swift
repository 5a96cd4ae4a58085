// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import CCrypto

/// Message authentication codes by RFC 2104 with SHA-256, by OpenSSL's libcrypto (HMAC(3)).
package enum MessageCode {
    /// - Parameter key: may have any length; a key of less than 32 bytes makes the code weaker (RFC 2104 §3).
    package static func of(_ message: [UInt8], key: [UInt8]) -> Digest {
        Digest { code in
            guard HMAC(EVP_sha256(), key, CInt(key.count), message, message.count, code, nil) != nil
            // Cannot trap: HMAC fails only without memory, where malloc's other callers abort too.
            else { preconditionFailure("libcrypto: out of memory") }
        }
    }
}
