// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSON

/// Reports and orders as JSON: members in snake case, in alphabetical order.
package enum ControlJSON {
    /// The JSON in one line, without a line feed. Control characters that strangers wrote, such as in an origin's tags, are made
    /// visible, so that they cannot move the cursor where a command prints the text.
    package static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Cannot fail: reports hold only numbers, strings, flags, and lists and dictionaries of them.
        let text = (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) }
        return LogText.visible(text ?? "{}")
    }

    /// Nil if the text is no JSON, is nested too deeply, or does not fit `type`.
    package static func read<Value: Decodable>(_ type: Value.Type, from text: some Collection<UInt8>)
        -> Value?
    {
        UntrustedJSON.read(type, from: text, keys: .convertFromSnakeCase)
    }
}
