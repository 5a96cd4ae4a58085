// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A reference from one part of a drawing to another part, which it shows.
struct DrawingReference: Equatable {
    /// How often the target is drawn.
    enum Kind: UInt8 {
        /// `use`: the target is drawn in place of the `use` element and inherits its properties.
        case use
        /// The target is drawn once: masks, clipping paths, and what a pattern or a gradient takes from
        /// another.
        case once
        /// The target is drawn once, by passes over all pixels.
        case filter
        /// The target is drawn once for each painted element: the bearing element, and the elements within it,
        /// which inherit the reference.
        case paint
        /// The target is drawn once for each vertex of those elements.
        case marker

        /// True if descendants of the bearing element inherit the reference.
        var isInherited: Bool { self == .paint || self == .marker }

        /// The kind of reference that this property's value makes.
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
    /// The name (`id`) of the target.
    let id: String

    /// The references in the value of a copied attribute.
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

    /// The references in declarations of the form `name:value;name:value`.
    static func all(inDeclarations text: Substring) -> [DrawingReference] {
        text.split(separator: ";").flatMap { declaration in
            let name = declaration.prefix { $0 != ":" }
            let kind = Kind(property: name)
            return ids(in: declaration.dropFirst(name.count)).map { DrawingReference(kind: kind, id: $0) }
        }
    }

    /// The names in `url(#name)`; quotation marks around the reference are allowed.
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

    /// An upper bound of the number of vertices in a path's `d` or in `points`.
    static func vertices(of path: String) -> Int {
        var (count, isInNumber, hasPoint): (Int, Bool, Bool) = (0, false, false)
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if !isInNumber { (count, isInNumber) = (count + 1, true) }
            case UInt8(ascii: "."):
                if !isInNumber || hasPoint { (count, isInNumber) = (count + 1, true) }
                hasPoint = true
            // Path commands, and the e of exponents.
            case _ where byte.isASCIILetter: (count, isInNumber, hasPoint) = (count + 1, false, false)
            default: (isInNumber, hasPoint) = (false, false)
            }
        }
        return count
    }
}
