// SPDX-License-Identifier: Apache-2.0

/// Writes CSS anew as it may be copied: rules of listed properties with values that load nothing. At-rules are
/// left out, among them `@import` and `@font-face`.
enum StyleSheet {
    /// The allowed declarations of a `style` attribute, `name:value;name:value`. Empty if none is left.
    static func declarations(_ text: String) -> String {
        declarations(uncommented(Array(text.utf8)[...])[...])
    }

    /// The allowed rules of a style sheet, `selector{name:value}…`. Empty if none is left.
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

    /// The text up to the brace that closes the block, or to the end.
    private static func block(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var depth = 1
        for (place, byte) in zip(text.indices, text) {
            if byte == open { depth += 1 }
            if byte == close { depth -= 1 }
            if depth == 0 { return text[..<place] }
        }
        return text
    }

    /// The selector without the space around it. Nil for an at-rule, and for a selector of more than names
    /// and combinators.
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

    /// Splits at the semicolons that are in no string and in no parentheses.
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

    /// Puts a space in place of each comment and of the HTML comment marks that hide a sheet. What looks like a
    /// comment within a string goes as well; the value is then refused, or stays harmless.
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
