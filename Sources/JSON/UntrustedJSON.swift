// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// JSON that strangers wrote, or processes that may have been taken over.
///
/// Foundation's decoder ends the process where arrays or objects are nested 513 deep: it throws an error for that, and looks for
/// the place of the error beyond the end of the text. So the nesting is counted before.
package enum UntrustedJSON {
    /// Of what is read here, nothing is nested deeper than 2.
    private static let deepest = 16

    /// Nil: not what was expected.
    package static func read<Value: Decodable>(
        _ type: Value.Type, from text: some Collection<UInt8>,
        keys: JSONDecoder.KeyDecodingStrategy = .useDefaultKeys
    ) -> Value? {
        guard isShallow(text) else { return nil }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = keys
        return try? decoder.decode(type, from: Data(text))
    }

    /// In UTF-8, and nested no deeper than that. Whether it is JSON is for the decoder to say.
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
