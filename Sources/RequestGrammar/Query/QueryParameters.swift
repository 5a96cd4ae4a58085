// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A query as a list of parameters. Only `&` separates them, so an unescaped `&` inside a nested URL ends the parameter; a
/// parameter's first `=` ends its name. Escapes are decoded once. `+` stays a plus sign, because in a URL that was put into `url=`
/// unescaped it means a plus, and an encoder that writes spaces as `+` writes pluses as `%2B`.
package struct QueryParameters {
    /// One piece between two `&`.
    package struct Parameter: Equatable, Sendable {
        /// The decoded name; empty if the piece begins with `=`.
        package let name: String
        /// The decoded value; nil if there is no `=`.
        package let value: String?
    }

    /// In the order of the query, repeated names included.
    package let parameters: [Parameter]

    /// - Throws: if a name or a value is not percent-encoded UTF-8 without control characters. Texts may have line feeds.
    package init(_ query: ArraySlice<UInt8>) throws(RequestError) {
        var parameters: [Parameter] = []
        for piece in query.split(separator: UInt8(ascii: "&")) {
            let rawName = piece.prefix { $0 != UInt8(ascii: "=") }
            let name = try Self.decode(rawName, of: rawName, isText: false)
            let rawValue = piece[rawName.endIndex...].dropFirst()
            let hasValue = rawName.endIndex < piece.endIndex
            parameters.append(
                Parameter(
                    name: name,
                    value: hasValue ? try Self.decode(rawValue, of: rawName, isText: name == "text") : nil))
        }
        self.parameters = parameters
    }

    /// The value of one piece between two `&`, whose name has no escapes; nil if there is no `=`.
    static func value(of piece: ArraySlice<UInt8>) throws(RequestError) -> String? {
        let name = piece.prefix { $0 != UInt8(ascii: "=") }
        guard name.endIndex < piece.endIndex else { return nil }
        return try decode(piece[name.endIndex...].dropFirst(), of: name, isText: false)
    }

    /// Skips parameters that cannot be decoded. A `%` that begins no escape stands for itself.
    /// - Parameter urls: names whose values are URLs. These are never skipped: they may have control characters, and if a value is no
    ///   UTF-8, all of its bytes but printable ASCII stay escapes, because an origin may name its files in another encoding.
    package init(lenient query: ArraySlice<UInt8>, urls: Set<String> = []) {
        parameters = query.split(separator: UInt8(ascii: "&")).compactMap { piece in
            let rawName = piece.prefix { $0 != UInt8(ascii: "=") }
            guard let name = Self.decode(lenient: rawName, isText: false) else { return nil }
            guard rawName.endIndex < piece.endIndex else { return Parameter(name: name, value: nil) }
            let rawValue = piece[rawName.endIndex...].dropFirst()
            if urls.contains(name) { return Parameter(name: name, value: Self.url(rawValue)) }
            return Self.decode(lenient: rawValue, isText: name == "text").map {
                Parameter(name: name, value: $0)
            }
        }
    }

    /// False if certainly no parameter has one of these names after decoding; true if one may have. Decodes nothing, so that queries
    /// without these parameters cost little.
    package static func mayHold(_ names: [String], in query: [UInt8]) -> Bool {
        var rest = query[...]
        while !rest.isEmpty {
            let piece = rest.prefix { $0 != UInt8(ascii: "&") }
            let name = piece.prefix { $0 != UInt8(ascii: "=") }
            if name.contains(UInt8(ascii: "%"))
                || names.contains(where: { $0.utf8.count == name.count && name.elementsEqual($0.utf8) })
            {
                return true
            }
            rest = rest[piece.endIndex...].dropFirst()
        }
        return false
    }

    private static func decode(lenient bytes: ArraySlice<UInt8>, isText: Bool) -> String? {
        let decoded = PercentEscape.decode(lenient: bytes)
        guard !decoded.contains(where: { isControl($0, isText: isText) }) else { return nil }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func url(_ bytes: ArraySlice<UInt8>) -> String {
        let decoded = PercentEscape.decode(lenient: bytes)
        return String(validating: decoded, as: UTF8.self) ?? PercentEscape.text(escaping: decoded)
    }

    private static func decode(
        _ bytes: ArraySlice<UInt8>, of rawName: ArraySlice<UInt8>, isText: Bool
    ) throws(RequestError) -> String {
        guard let decoded = PercentEscape.decode(bytes) else {
            throw .invalidEscape(parameter: printable(rawName))
        }
        guard !decoded.contains(where: { isControl($0, isText: isText) }),
            let text = String(validating: decoded, as: UTF8.self)
        else { throw .invalidText(parameter: printable(rawName)) }
        return text
    }

    private static func isControl(_ byte: UInt8, isText: Bool) -> Bool {
        byte < 0x20 && !(isText && byte == UInt8(ascii: "\n")) || byte == 0x7F
    }

    /// A name that can be shown to people although it could not be decoded.
    private static func printable(_ name: ArraySlice<UInt8>) -> String {
        String(decoding: name.map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
