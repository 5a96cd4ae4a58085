// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// The declarations of a `style` attribute (CSS Style Attributes) that a drawing's size depends on.
struct SVGStyle {
    private var declarations: [(name: Substring, value: Substring, isImportant: Bool)] = []

    init(_ text: String) {
        for piece in Self.uncommented(text[...]).split(separator: ";") {
            guard let colon = piece.firstIndex(of: ":") else { continue }
            let value = piece[piece.index(after: colon)...].split(separator: "!", maxSplits: 1)
            guard let first = value.first else { continue }
            let isImportant = value.count > 1 && value[1].trimmed.lowercased() == "important"
            declarations.append((Substring(piece[..<colon].trimmed), first, isImportant))
        }
    }

    /// The value that applies: the last one that `read` accepts, where important declarations come first.
    func last<Value>(_ name: String, _ read: (Substring) -> Value?) -> Value? {
        func last(isImportant: Bool) -> Value? {
            for declaration in declarations.reversed()
            where declaration.name == name && declaration.isImportant == isImportant {
                if let value = read(declaration.value) { return value }
            }
            return nil
        }
        return last(isImportant: true) ?? last(isImportant: false)
    }

    /// The text with a space in place of each comment.
    static func uncommented(_ text: Substring) -> String {
        var (kept, rest) = ("", text)
        while let start = rest.firstRange(of: "/*") {
            kept += rest[..<start.lowerBound] + " "
            rest = rest[start.upperBound...]
            rest = rest.firstRange(of: "*/").map { rest[$0.upperBound...] } ?? ""
        }
        return kept + rest
    }
}

/// The `style` elements of a drawing, as far as they may apply to its root element. Escapes and entities in them are not
/// resolved.
struct SVGSheets {
    private static let mark = Array("style".utf8)
    /// The bodies of rules whose selector may match the root element.
    private var bodies: [String] = []
    /// True if a sheet imports another one.
    private var imports = false

    /// - Parameters:
    ///   - document: the bytes behind the root element's name.
    ///   - id: the root element's id.
    ///   - classes: the root element's classes, separated by space.
    init(_ document: ArraySlice<UInt8>, id: String?, classes: String?) {
        // A set, because a sheet may name each of many classes again and again.
        let classes = Set((classes ?? "").split(whereSeparator: \.isWhitespace))
        var rest = document
        while let sheet = Self.next(&rest) {
            if sheet.contains("@import") { imports = true }
            // Each piece ends one rule and begins the next. The last piece has no body; the prelude of a
            // nested rule follows its parent's brace.
            var prelude = ""
            for piece in sheet.split(separator: "{", omittingEmptySubsequences: false) {
                let parts = piece.split(separator: "}", omittingEmptySubsequences: false)
                if Self.mayMeanRoot(prelude, id, classes) { bodies += parts.prefix(1).map(String.init) }
                prelude = parts.last?.split(separator: ";").last.map(String.init) ?? ""
            }
        }
    }

    /// True if a rule for the root element may set one of these properties.
    func mayName(_ properties: [String]) -> Bool {
        imports
            || bodies.contains { body in
                body.split(separator: ";").contains { piece in
                    properties.contains(String(piece.prefix { $0 != ":" }.trimmed))
                }
            }
    }

    /// The text of the next `style` element, with a prefix or without.
    private static func next(_ rest: inout ArraySlice<UInt8>) -> String? {
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(open + 1)...]
            let name = rest.prefix { $0.isASCIILetter || $0 == UInt8(ascii: ":") }
            guard name.split(separator: UInt8(ascii: ":")).last?.elementsEqual(mark) == true else { continue }
            guard let start = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
            let isEmpty = rest[start - 1] == UInt8(ascii: "/")
            rest = rest[(start + 1)...]
            guard !isEmpty else { continue }
            return SVGStyle.uncommented(text(&rest)[...])
        }
        return nil
    }

    /// The text of an element up to its end tag. CDATA sections, in which tags have no meaning, count as text; comments do not
    /// (XML 1.0 §2.5, §2.7).
    private static func text(_ rest: inout ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
            text += rest[..<mark]
            rest = rest[mark...]
            if rest.starts(with: "<![CDATA[".utf8) {
                let end = rest.firstRange(of: "]]>".utf8)?.lowerBound ?? rest.endIndex
                text += rest[..<end].dropFirst(9)
                rest = rest[end...].dropFirst(3)
            } else if rest.starts(with: "<!--".utf8) {
                rest = rest.firstRange(of: "-->".utf8).map { rest[$0.upperBound...] } ?? []
            } else {
                return String(decoding: text, as: UTF8.self)
            }
        }
        // The end tag lies beyond the bytes that are read.
        defer { rest = [] }
        return String(decoding: text + rest, as: UTF8.self)
    }

    /// False if each selector has a combinator, or names an element, a class or an id that the root element does not have.
    private static func mayMeanRoot(_ selectors: String, _ id: String?, _ classes: Set<Substring>) -> Bool {
        selectors.split(separator: ",").contains { selector in
            // Conditions in brackets or behind a colon are not evaluated, and may hold.
            let compound = selector.trimmed.prefix { !":[".contains($0) }
            guard !compound.contains(where: { $0.isWhitespace || ">+~".contains($0) }) else { return false }
            let element = compound.prefix { !".#".contains($0) }
            guard ["", "*", "svg"].contains(element.split(separator: "|").last ?? "") else { return false }
            let parts = compound.dropFirst(element.count)
            return parts.split(separator: ".").allSatisfy { part in
                let names = part.split(separator: "#", omittingEmptySubsequences: false)
                let hasClass = names.prefix(1).allSatisfy { $0.isEmpty || classes.contains($0) }
                return hasClass && names.dropFirst().allSatisfy { $0 == id ?? "" }
            }
        }
    }
}
