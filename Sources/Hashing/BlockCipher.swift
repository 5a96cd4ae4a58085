// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// AES in CBC mode (NIST SP 800-38A §6.2) with the padding of PKCS #7, by OpenSSL's libcrypto (EVP_EncryptInit(3)).
package enum BlockCipher {
    /// Bytes of a block, and of the initialization vector.
    package static let blockSize = 16

    /// Nil for a key or a vector of a wrong size, a text that is empty or has no whole number of blocks, and a wrong padding. The
    /// causes are not told apart, because an answer that does helps an attacker who sends texts of their own (padding oracle).
    package static func decrypt(_ text: some Sequence<UInt8>, key: [UInt8], vector: [UInt8]) -> [UInt8]? {
        let text = Array(text)
        guard let cipher = cipher(key), vector.count == blockSize, let count = CInt(exactly: text.count),
            !text.isEmpty, text.count.isMultiple(of: blockSize), let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer { EVP_CIPHER_CTX_free(context) }
        // Cannot trap: the text is in memory, so its length plus a block does not overflow.
        var plain = [UInt8](repeating: 0, count: text.count + blockSize)
        var (written, rest): (CInt, CInt) = (0, 0)
        let isRight = plain.withUnsafeMutableBufferPointer { plain in
            guard let start = plain.baseAddress,
                EVP_DecryptInit_ex(context, cipher, nil, key, vector) == 1,
                EVP_DecryptUpdate(context, start, &written, text, count) == 1
            else { return false }
            return EVP_DecryptFinal_ex(context, start + Int(written), &rest) == 1
        }
        return isRight ? Array(plain.prefix(Int(written) + Int(rest))) : nil
    }

    private static func cipher(_ key: [UInt8]) -> OpaquePointer? {
        switch key.count {
        case 16: EVP_aes_128_cbc()
        case 24: EVP_aes_192_cbc()
        case 32: EVP_aes_256_cbc()
        default: nil
        }
    }
}
