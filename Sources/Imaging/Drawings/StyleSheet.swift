// SPDX-License-Identifier: Apache-2.0

/// CSS as it may be passed on, written anew: rules of listed properties with values that load nothing. At-rules
/// are left out, those that import and those that name fonts among them.
enum StyleSheet {
    /// The declarations of an element's own style, `name:value;name:value`. Empty where nothing is left.
    static func declarations(_ text: String) -> String {
        declarations(uncommented(Array(text.utf8)[...])[...])
    }

    /// The rules of a style sheet, `selector{name:value}…`. Empty where nothing is left.
    static func rules(_ text: String) -> String {
        var rest = uncommented(Array(text.utf8)[...])[...]
        var written = ""
        while let end = rest.firstIndex(where: { $0 == open || $0 == UInt8(ascii: ";") || $0 == close }) {
            let prelude = rest[..<end]
            guard rest[end] == open else {
                rest = rest[(end + 1)...]
                continue
            }
            let block = block(of: rest[(end + 1)...])
            rest = rest[block.endIndex...].dropFirst()
            guard let selector = selector(prelude), !block.contains(open) else { continue }
            let kept = declarations(block)
            if !kept.isEmpty { written += "\(selector){\(kept)}" }
        }
        return written
    }

    private static let open = UInt8(ascii: "{")
    private static let close = UInt8(ascii: "}")

    /// Up to the brace that closes it, or to the end.
    private static func block(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var depth = 1
        for (place, byte) in zip(text.indices, text) {
            if byte == open { depth += 1 }
            if byte == close { depth -= 1 }
            if depth == 0 { return text[..<place] }
        }
        return text
    }

    /// Without what surrounds it; nil if it is an at-rule, or has more than names and combinators.
    private static func selector(_ text: ArraySlice<UInt8>) -> String? {
        let trimmed = StyleValue.trimmed(text)
        guard !trimmed.isEmpty,
            trimmed.allSatisfy({
                StyleValue.isNameByte($0) || StyleValue.isSpace($0) || ".#*,>+~:()".utf8.contains($0)
            })
        else { return nil }
        return String(decoding: trimmed, as: UTF8.self)
    }

    private static func declarations(_ text: ArraySlice<UInt8>) -> String {
        var kept: [String] = []
        for part in pieces(of: text) {
            let name = String(
                decoding: StyleValue.trimmed(part.prefix { $0 != UInt8(ascii: ":") }), as: UTF8.self
            )
            .lowercased()
            let value = String(
                decoding: StyleValue.trimmed(part.drop { $0 != UInt8(ascii: ":") }.dropFirst()), as: UTF8.self
            )
            guard DrawingNames.styles.contains(name), !value.isEmpty, StyleValue.isSafe(value) else {
                continue
            }
            kept.append("\(name):\(value)")
        }
        return kept.joined(separator: ";")
    }

    /// The pieces between semicolons that are in no string and in no parentheses.
    private static func pieces(of text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        var (pieces, start): ([ArraySlice<UInt8>], Int) = ([], text.startIndex)
        var (quote, depth): (UInt8?, Int) = (nil, 0)
        for (place, byte) in zip(text.indices, text) {
            switch byte {
            case quote: quote = nil
            case _ where quote != nil: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: ";") where depth <= 0:
                pieces.append(text[start..<place])
                start = place + 1
            default: break
            }
        }
        return pieces + [text[start...]]
    }

    /// With a space in place of each comment, and of what hides a sheet in HTML. What looks like a comment within
    /// a string goes as well; the value is refused then, or stays what it is.
    private static func uncommented(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var (kept, rest): ([UInt8], ArraySlice<UInt8>) = ([], text)
        while let byte = rest.first {
            if rest.starts(with: "/*".utf8) {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
                kept.append(0x20)
            } else if let mark = ["<!--", "-->"].first(where: { rest.starts(with: $0.utf8) }) {
                rest = rest.dropFirst(mark.utf8.count)
                kept.append(0x20)
            } else {
                kept.append(byte)
                rest = rest.dropFirst()
            }
        }
        return kept
    }
}
