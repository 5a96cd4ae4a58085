// SPDX-License-Identifier: Apache-2.0
//
//   method, eleven fields, x-ms-… fields, resource ─HMAC─▶ signature
//                                                    ▲
//                                   key of the account

internal import Bytes
internal import Foundation
internal import Hashing
package import HTTPSemantics

/// The key of a storage account, which signs requests (Microsoft, "Authorize with Shared Key", for the blob service from version
/// 2015-02-21 on).
package struct SharedKey: Sendable, Hashable, CustomStringConvertible {
    /// The account's name, which requests contain.
    package let account: String
    /// The key itself, which is never sent.
    private let key: [UInt8]

    /// Nil if the key is empty or not base64.
    package init?(account: String, base64: String) {
        guard let key = Data(base64Encoded: base64), !key.isEmpty else { return nil }
        self.account = account
        self.key = Array(key)
    }

    /// Contains nothing of the key.
    package var description: String { "key" }

    /// The value of `Authorization`.
    /// - Parameters:
    ///   - target: the path and query as sent.
    ///   - fields: all fields that the signature may cover: those that begin with `x-ms-`, conditions and ranges.
    package func authorization(method: String = "GET", target: String, fields: [Fields.Field]) -> String {
        let text = text(method: method, target: target, fields: fields)
        let code = MessageCode.of(Array(text.utf8), key: key)
        return "SharedKey \(account):\(Data(code.bytes).base64EncodedString())"
    }

    /// Fields whose values are part of the string to sign in this order, even if they are empty.
    private static let standing = [
        "content-encoding", "content-language", "content-length", "content-md5", "content-type", "date",
        "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range",
    ]

    /// The string to sign.
    package func text(method: String, target: String, fields: [Fields.Field]) -> String {
        let values = Self.standing.map { name in
            let value = fields.first { $0.name.lowercased() == name }?.value ?? ""
            return name == "content-length" && value == "0" ? "" : value
        }
        let own = CanonicalFields(fields.filter { $0.name.lowercased().hasPrefix("x-ms-") })
        return ([method] + values).joined(separator: "\n") + "\n\(own.lines)\(resource(target))"
    }

    /// The account's name and the path, escaped as it is sent; then a line for each parameter, with escapes decoded.
    private func resource(_ target: String) -> String {
        let path = target.prefix { $0 != "?" }
        var values: [String: [String]] = [:]
        for pair in target.dropFirst(path.count + 1).split(separator: "&") {
            let name = pair.prefix { $0 != "=" }
            values[Self.decoded(name).lowercased(), default: []]
                .append(Self.decoded(pair.dropFirst(name.count + 1)))
        }
        let lines = values.sorted { $0.key < $1.key }.map { name, values in
            "\n\(name):\(values.sorted().joined(separator: ","))"
        }
        return "/\(account)\(path)\(lines.joined())"
    }

    private static func decoded(_ text: Substring) -> String {
        String(decoding: PercentEscape.decode(lenient: Array(text.utf8)[...]), as: UTF8.self)
    }
}
