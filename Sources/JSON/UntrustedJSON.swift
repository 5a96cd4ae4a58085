// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Decodes JSON from outside, or from a process that may have been taken over.
///
/// Foundation's decoder traps where arrays or objects are nested 513 deep: it reads beyond the end of the
/// text while it builds its error. So the nesting is counted before.
package enum UntrustedJSON {
    /// The greatest depth of nesting accepted; the documents that are read here need 2.
    private static let deepest = 16

    /// Nil if the text is no JSON, is nested too deeply, or does not fit `type`.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from text: some Collection<UInt8>,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) -> Value? {
        guard isShallow(text) else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try? decoder.decode(type, from: Data(text))
    }

    /// True for UTF-8 text whose nesting is at most `deepest`; the decoder checks the rest of the grammar.
    static func isShallow(_ text: some Collection<UInt8>) -> Bool {
        var depth = 0
        var isText = false
        var isEscaped = false
        for byte in text {
            // UTF-16 and UTF-32, which the decoder would read as well, have zeros beside each bracket.
            if byte == 0 { return false }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isText = true
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > deepest { return false }
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
            default: break
            }
        }
        return true
    }
}
