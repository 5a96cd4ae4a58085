// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Decodes JSON from outside, or from a process that may have been taken over.
package enum UntrustedJSON {
    /// The greatest depth of nesting accepted; the documents that are read here need 2.
    private static let deepest = 16

    /// Nil if the text is no JSON, is nested too deeply, or does not fit `type`.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from text: some Collection<UInt8>,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) -> Value? {
        guard isDecodable(text) else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try? decoder.decode(type, from: Data(text))
    }

    /// False for what Foundation's decoder must not get. It traps where arrays or objects are nested 513 deep: it reads beyond the
    /// end of the text while it builds its error. And it takes what is no JSON: a byte order mark (RFC 8259 §8.1), another encoding
    /// than UTF-8, a comma behind the last member. It checks the rest of the grammar itself.
    static func isDecodable(_ text: some Collection<UInt8>) -> Bool {
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else { return false }
        var (depth, quoted, isBehindComma) = (0, QuotedText(), false)
        for byte in text {
            // UTF-16 and UTF-32 have zeros beside each bracket.
            if byte == 0 { return false }
            if quoted.holds(byte) { continue }
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > deepest { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isBehindComma { return false }
                depth -= 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): continue
            default: break
            }
            isBehindComma = byte == UInt8(ascii: ",")
        }
        return true
    }
}

/// Where a text stands in JSON that is read byte by byte (RFC 8259 §7).
struct QuotedText {
    /// Whether the closing quote is still to come.
    private(set) var isOpen = false
    private var isEscaped = false

    /// - Returns: true for a byte between the quotes; false for the quotes, and for all that is outside.
    mutating func holds(_ byte: UInt8) -> Bool {
        guard isOpen else {
            isOpen = byte == UInt8(ascii: "\"")
            return false
        }
        isOpen = byte != UInt8(ascii: "\"") || isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        return isOpen
    }
}
