// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// One filter of a URL: `name(argument,argument)`.
package struct FilterCall: Sendable, Equatable {
    package let name: String
    /// The decoded arguments, without white space and single quotes around them.
    package let arguments: [String]
    /// The arguments as sent, with their escapes.
    package let sent: [ArraySlice<UInt8>]

    /// The argument; nil if it is missing or empty.
    func text(_ index: Int) -> String? {
        guard arguments.indices.contains(index), !arguments[index].isEmpty else { return nil }
        return arguments[index]
    }

    /// The argument as a decimal number; nil if `DecimalText` cannot read it.
    func number(_ index: Int) -> Double? { text(index).flatMap(DecimalText.read) }

    /// The argument as a whole number, clamped to a billion; nil for other text.
    func integer(_ index: Int) -> Int? {
        guard let text = text(index) else { return nil }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let most = 1_000_000_000
        return min(max(Int(text) ?? (text.hasPrefix("-") ? -most : most), -most), most)
    }

    /// The argument as a flag; nil for other text.
    func flag(_ index: Int) -> Bool? {
        switch text(index) {
        case "true", "True", "1": true
        case "false", "False", "0": false
        default: nil
        }
    }

    /// The refusal of arguments that the filter does not accept.
    func refusal(_ allowed: String) -> OperationRefusal { .value(filter: name, allowed: allowed) }
}

/// The list `filters:name(arguments):name(arguments)/`.
enum FilterList {
    /// Reads the filters that the path begins with, if any; returns them and the part after them.
    static func read(
        _ path: ArraySlice<UInt8>
    ) throws(OperationRefusal) -> (calls: [FilterCall], image: [UInt8]) {
        var path = path
        // Programs that escape parentheses and colons also escape the first colon.
        if path.prefix(9).map(\.asciiLowercased).elementsEqual("filters%3".utf8) {
            path = PercentEscape.decode(lenient: path)[...]
        }
        guard path.starts(with: word.utf8) else { return ([], Array(path)) }
        var rest = path.dropFirst(word.utf8.count)
        // Some programs, such as Go's templates, escape parentheses only.
        let first = String(decoding: rest.prefix { !"(/".utf8.contains($0) }, as: UTF8.self)
        if first.contains("%28") { rest = withPlainParentheses(rest)[...] }
        var calls: [FilterCall] = []
        while let first = rest.first, first != UInt8(ascii: "/") {
            calls.append(try call(from: &rest))
            guard let next = rest.first, next == UInt8(ascii: ":") else { break }
            rest = rest.dropFirst()
        }
        guard let slash = rest.first else { return (calls, []) }
        guard slash == UInt8(ascii: "/") else {
            throw .malformedFilter(name: calls.last?.name ?? "")
        }
        return (calls, Array(rest.dropFirst()))
    }

    private static let word = "filters:"

    /// The list with its parentheses unescaped, up to the slash after it. The picture's name after that is not changed.
    private static func withPlainParentheses(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var (plain, rest, depth) = ([UInt8](), path, 0)
        while let byte = rest.first, byte != UInt8(ascii: "/") || depth > 0 {
            let isOpening = rest.starts(with: "%28".utf8)
            let isEscape = isOpening || rest.starts(with: "%29".utf8)
            plain.append(isOpening ? UInt8(ascii: "(") : isEscape ? UInt8(ascii: ")") : byte)
            depth += isOpening ? 1 : isEscape ? -1 : 0
            rest = rest.dropFirst(isEscape ? 3 : 1)
        }
        return plain + rest
    }

    /// Removes a filter from the front and returns it.
    private static func call(from rest: inout ArraySlice<UInt8>) throws(OperationRefusal) -> FilterCall {
        let name = rest.prefix { !"(:/".utf8.contains($0) }
        let shown = String(decoding: name.prefix(40), as: UTF8.self)
        guard rest[name.endIndex...].first == UInt8(ascii: "("), let end = end(of: rest[name.endIndex...])
        else { throw .malformedFilter(name: shown) }
        let inner = rest[(name.endIndex + 1)..<end]
        rest = rest[(end + 1)...]
        let sent = arguments(of: inner)
        let arguments = sent.compactMap(text)
        guard arguments.count == sent.count, let name = text(name), !name.isEmpty else {
            throw .malformedFilter(name: shown)
        }
        return FilterCall(name: name, arguments: arguments, sent: sent)
    }

    /// The index of the parenthesis that closes the one at the front.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// The arguments, split at commas outside of parentheses.
    private static func arguments(of inner: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        if inner.isEmpty { return [] }
        var arguments: [ArraySlice<UInt8>] = []
        var start = inner.startIndex
        var depth = 0
        for index in inner.indices {
            if inner[index] == UInt8(ascii: "(") { depth += 1 }
            if inner[index] == UInt8(ascii: ")") { depth -= 1 }
            guard inner[index] == UInt8(ascii: ","), depth == 0 else { continue }
            arguments.append(inner[start..<index])
            start = index + 1
        }
        return arguments + [inner[start...]]
    }

    /// The decoded text, without white space and single quotes around it; nil for invalid UTF-8, and with control characters other
    /// than line feeds.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        var decoded = PercentEscape.decode(lenient: bytes)[...]
        guard !decoded.contains(where: { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F }) else { return nil }
        decoded = decoded.drop { $0 == UInt8(ascii: " ") }
        while decoded.last == UInt8(ascii: " ") { decoded = decoded.dropLast() }
        let quote = UInt8(ascii: "'")
        if decoded.count > 2, decoded.first == quote, decoded.last == quote {
            decoded = decoded.dropFirst().dropLast()
        }
        return String(validating: decoded, as: UTF8.self)
    }
}
