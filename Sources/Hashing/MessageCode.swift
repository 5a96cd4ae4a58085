// SPDX-License-Identifier: Apache-2.0

package import Bytes

/// Message authentication codes by RFC 2104 with SHA-256.
///
/// Out of two hashes, because HMAC(3) of OpenSSL 3 looks its algorithm up by name in each call, which takes four times as
/// long as the hashes of a short message.
package enum MessageCode {
    /// Bytes of a block of SHA-256.
    private static let block = 64

    /// - Parameter key: of any length; one of less than 32 bytes is weaker than the code itself (RFC 2104 §3).
    package static func of(_ message: [UInt8], key: [UInt8]) -> Digest {
        let key = key.count > block ? SHA256.digest(of: key).bytes : key
        let inner = hash(message.span.bytes, after: key, with: 0x36)
        return hash(inner.bytes.span.bytes, after: key, with: 0x5C)
    }

    /// The digest of the key, filled up with zeros to a block, each byte XOR `pad`, and of the bytes.
    private static func hash(_ bytes: RawSpan, after key: [UInt8], with pad: UInt8) -> Digest {
        var hash = SHA256()
        withUnsafeTemporaryAllocation(byteCount: block, alignment: 1) { start in
            start.initializeMemory(as: UInt8.self, repeating: pad)
            for (index, byte) in key.enumerated() { start[index] = byte ^ pad }
            hash.update(UnsafeRawBufferPointer(start))
        }
        bytes.withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }
}
