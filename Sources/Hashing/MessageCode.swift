// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Message authentication codes by RFC 2104 with SHA-256. HMAC(3) of OpenSSL 3 looks its algorithms up by name in each call, which
/// takes longer than the two hashes of a short message.
package enum MessageCode {
    /// The bytes that SHA-256 takes at a time (FIPS 180-4 §1).
    private static let blockSize = 64

    /// - Parameter key: may have any length; a key of less than 32 bytes makes the code weaker (RFC 2104 §3).
    package static func of(_ message: [UInt8], key: [UInt8]) -> Digest {
        let block = key.count > blockSize ? SHA256.digest(of: key).bytes : key
        let inner = hash(message, behind: block, pad: 0x36)
        return hash(inner.bytes, behind: block, pad: 0x5C)
    }

    /// The digest of a message behind the key, which is filled up with zeros to a block, each of its bytes exclusive-ored with
    /// `pad`.
    private static func hash(_ message: [UInt8], behind key: [UInt8], pad: UInt8) -> Digest {
        // Cannot trap: the size is a constant, and the key is no longer than a block.
        var block = [UInt8](repeating: pad, count: blockSize)
        for (index, byte) in key.enumerated() { block[index] ^= byte }
        var hash = SHA256()
        block.withUnsafeBytes { hash.update($0) }
        message.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
