// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import JSON

/// Reports and orders as JSON: members in snake case, in alphabetical order.
package enum ControlJSON {
    package static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Reports are made of numbers, words and lists of them: nothing that JSON could not hold.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// Nil: not what was expected.
    package static func read<Value: Decodable>(_ type: Value.Type, from text: some Collection<UInt8>)
        -> Value?
    {
        UntrustedJSON.read(type, from: text, keys: .convertFromSnakeCase)
    }
}
