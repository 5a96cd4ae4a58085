// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Decodes JSON from outside, or from a process that may have been taken over.
package enum UntrustedJSON {
    /// The greatest depth of nesting accepted; the documents that are read here need 2.
    private static let deepest = 16

    /// Nil if the text is not JSON, is nested too deeply, or does not fit `type`.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from text: some Collection<UInt8>,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) -> Value? {
        guard isDecodable(text) else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try? decoder.decode(type, from: Data(text))
    }

    /// False for a text that must not reach Foundation's decoder. The decoder traps where arrays or objects are nested 513 deep,
    /// because it reads beyond the end of the text while it builds its error. It also accepts texts that are not JSON: with a byte
    /// order mark (RFC 8259 §8.1), in another encoding than UTF-8, or with a comma behind the last member. The decoder checks the
    /// rest of the grammar.
    static func isDecodable(_ text: some Collection<UInt8>) -> Bool {
        guard !text.starts(with: [0xEF, 0xBB, 0xBF]) else { return false }
        var (depth, quoted, isBehindComma) = (0, QuotedText(), false)
        for byte in text {
            // In UTF-16 and UTF-32 each bracket has a zero byte beside it.
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

/// Tracks whether the next byte of JSON is inside a text (RFC 8259 §7).
struct QuotedText {
    /// True between the opening and the closing quote.
    private(set) var isOpen = false
    private var isEscaped = false

    /// - Returns: true for a byte between the quotes; false for the quotes and for bytes outside of a text.
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
