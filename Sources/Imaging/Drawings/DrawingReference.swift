// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Part of a drawing that another part shows.
struct DrawingReference: Equatable {
    /// How often it is shown.
    enum Kind: UInt8 {
        /// `use`: in place of the `use` element, which passes its inherited properties on.
        case use
        /// Once: masks, clipping paths, and what a pattern or a gradient takes from another.
        case once
        /// Once, by passes over all pixels.
        case filter
        /// Once for each painted element: the element itself, and those within it, which inherit the reference.
        case paint
        /// The same, for each vertex.
        case marker

        /// True if the elements within the element have it too.
        var isInherited: Bool { self == .paint || self == .marker }

        /// The reference in a property whose value refers.
        init(property: some StringProtocol) {
            switch property {
            case "mask", "clip-path": self = .once
            case "filter": self = .filter
            case "marker", "marker-start", "marker-mid", "marker-end": self = .marker
            default: self = .paint
            }
        }
    }

    let kind: Kind
    /// The name of the part that is shown.
    let id: String

    /// The references of an attribute that is kept.
    static func all(in attribute: DrawingAttribute, of element: String) -> [DrawingReference] {
        let (name, value) = (attribute.name, attribute.value)
        if name.hasSuffix("href") {
            guard value.utf8.first == UInt8(ascii: "#") else { return [] }
            return [DrawingReference(kind: element == "use" ? .use : .once, id: String(value.dropFirst()))]
        }
        guard value.utf8.contains(UInt8(ascii: "(")) else { return [] }
        guard name == "style" else {
            return ids(in: value[...]).map { DrawingReference(kind: Kind(property: name), id: $0) }
        }
        return all(inDeclarations: value[...])
    }

    /// The references of `name:value;name:value`, as a style sheet is written.
    static func all(inDeclarations text: Substring) -> [DrawingReference] {
        text.split(separator: ";").flatMap { declaration in
            let name = declaration.prefix { $0 != ":" }
            let kind = Kind(property: name)
            return ids(in: declaration.dropFirst(name.count)).map { DrawingReference(kind: kind, id: $0) }
        }
    }

    /// The names in `url(#name)`, perhaps within quotation marks.
    private static func ids(in value: Substring) -> [String] {
        var (ids, rest): ([String], Substring.UTF8View.SubSequence) = ([], value.utf8[...])
        let opening = "url(".utf8
        while let start = rest.firstIndex(where: { $0 | 0x20 == UInt8(ascii: "u") }) {
            rest = rest[start...]
            guard rest.count > opening.count, zip(rest, opening).allSatisfy({ $0.asciiLowercased == $1 })
            else {
                rest = rest.dropFirst()
                continue
            }
            let inner = rest.dropFirst(opening.count).prefix { $0 != UInt8(ascii: ")") }
            let marks = " \t\r\n\u{0B}\u{0C}\"'".utf8
            var name = inner.drop { marks.contains($0) }
            while let last = name.last, marks.contains(last) { name = name.dropLast() }
            ids.append(String(Substring(name.dropFirst())))
            rest = rest[inner.endIndex...]
        }
        return ids
    }

    /// Vertices of a path's `d`, or of `points`, at most.
    static func vertices(of path: String) -> Int {
        var (count, isInNumber, hasPoint): (Int, Bool, Bool) = (0, false, false)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if !isInNumber { (count, isInNumber) = (count + 1, true) }
            case UInt8(ascii: "."):
                if !isInNumber || hasPoint { (count, isInNumber) = (count + 1, true) }
                hasPoint = true
            // Commands, the exponents' e among them.
            case _ where byte.isASCIILetter: (count, isInNumber, hasPoint) = (count + 1, false, false)
            default: (isInNumber, hasPoint) = (false, false)
            }
        }
        return count
    }
}
