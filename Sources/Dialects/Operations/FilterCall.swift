// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `name(argument,argument)`.
package struct FilterCall: Sendable, Equatable {
    package let name: String
    /// Decoded, without the blanks and the single quotes around them.
    package let arguments: [String]
    /// As they were sent, with their escapes.
    package let sent: [ArraySlice<UInt8>]

    /// Nil where there are fewer arguments, and for one of no characters.
    func text(_ index: Int) -> String? {
        guard arguments.indices.contains(index), !arguments[index].isEmpty else { return nil }
        return arguments[index]
    }

    /// Nil for what is no decimal fraction that `DecimalText` reads.
    func number(_ index: Int) -> Double? { text(index).flatMap(DecimalText.read) }

    /// Nil for what is no whole number; those beyond a billion are cut to it.
    func integer(_ index: Int) -> Int? {
        guard let text = text(index) else { return nil }
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        let most = 1_000_000_000
        return min(max(Int(text) ?? (text.hasPrefix("-") ? -most : most), -most), most)
    }

    /// Nil for what is no flag.
    func flag(_ index: Int) -> Bool? {
        switch text(index) {
        case "true", "True", "1": true
        case "false", "False", "0": false
        default: nil
        }
    }

    /// The refusal of arguments that are none of this filter's.
    func refusal(_ allowed: String) -> OperationRefusal { .value(filter: name, allowed: allowed) }
}

/// `filters:name(arguments):name(arguments)/`.
enum FilterList {
    /// The filters of the rest of a path, if it begins with them, and what comes after.
    static func read(
        _ path: ArraySlice<UInt8>
    ) throws(OperationRefusal) -> (calls: [FilterCall], image: [UInt8]) {
        var path = path
        // Programs that escape parentheses and colons escape the first colon too.
        if path.prefix(9).map(\.asciiLowercased).elementsEqual("filters%3".utf8) {
            path = PercentEscape.decode(lenient: path)[...]
        }
        guard path.starts(with: word.utf8) else { return ([], Array(path)) }
        var rest = path.dropFirst(word.utf8.count)
        // Go's templates, for one, escape parentheses alone.
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

    /// The list with its parentheses unescaped, up to the slash behind it. What follows is the picture's, and stays as it was sent.
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

    /// Takes a filter off the front.
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

    /// Where the parenthesis closes that the bytes begin with.
    private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        for (index, byte) in zip(bytes.indices, bytes) {
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return index }
        }
        return nil
    }

    /// Split at commas that stand in no parentheses.
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

    /// Decoded, without blanks and single quotes around it; nil for what is no UTF-8 or has control characters
    /// other than line feeds.
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
