// SPDX-License-Identifier: Apache-2.0

internal import Endpoints

/// Turns a JSON document into lines, one for each member, each with the names of the objects around it.
package enum JSONOutline {
    /// `original.freshness.is_fresh true`; nil if the text is not JSON.
    package static func lines(_ json: String) -> [String]? {
        ControlJSON.read(Value.self, from: json.utf8).map { lines($0, "") }
    }

    private enum Value: Decodable {
        case object([String: Value])
        case list([Value])
        case leaf(String)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let object = try? container.decode([String: Value].self) {
                self = .object(object)
            } else if let list = try? container.decode([Value].self) {
                self = .list(list)
            } else if let flag = try? container.decode(Bool.self) {
                self = .leaf("\(flag)")
            } else if let number = try? container.decode(Int64.self) {
                self = .leaf("\(number)")
            } else if let number = try? container.decode(Double.self) {
                self = .leaf("\(number)")
            } else if let text = try? container.decode(String.self) {
                self = .leaf(text)
            } else {
                self = .leaf("–")
            }
        }
    }

    private static func lines(_ value: Value, _ name: String) -> [String] {
        switch value {
        case .leaf(let text): return ["\(name)  \(text)"]
        case .object(let members):
            return members.sorted { $0.key < $1.key }.flatMap {
                lines($0.value, name.isEmpty ? $0.key : "\(name).\($0.key)")
            }
        case .list(let values):
            let texts = values.compactMap { if case .leaf(let text) = $0 { text } else { nil } }
            if texts.count == values.count { return ["\(name)  \(texts.joined(separator: ", "))"] }
            return values.enumerated().flatMap { lines($1, "\(name)[\($0)]") }
        }
    }
}
