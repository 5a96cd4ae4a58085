// SPDX-License-Identifier: Apache-2.0

/// The elements of a drawing when whatever it refers to is put in its place: some hundred bytes can stand for more than any
/// program draws, because what is shown may refer to others. `use` makes copies; a pattern is drawn for each element that it
/// paints, a marker at each vertex, a mask, a clipping path and a filter for each element that has one.
struct DrawingCopies {
    /// Elements that are drawn, copies included.
    static let most = 200_000
    /// Copies within one another.
    static let deepest = 16
    /// References, those of style sheets for each element that they fit; and those of style sheets for each selector.
    static let mostReferences = 100_000
    /// Elements that a pass of a filter counts as.
    static let filterWeight = 20

    struct Element {
        /// The element and all within it, which follow it.
        var length = 1
        /// −1 for the root.
        let parent: Int
        /// 0 for an element without markers.
        let vertices: Int
        let name: String
        let classes: String
    }

    struct Reference {
        let place: Int
        let shown: Shown
    }

    /// A reference whose name is a number: a name may be as long as the file, and is met for each element of a rule.
    struct Shown {
        let kind: DrawingReference.Kind
        let number: Int
    }

    /// In their order.
    private(set) var elements: [Element] = []
    private(set) var references: [Reference] = []
    /// The place of what each number names, once all is read; −1 for nothing.
    private(set) var targets: [Int] = []
    private var places: [String: Int] = [:]
    /// The numbers of the names that references have.
    private var numbers: [String: Int] = [:]
    private var rules: [(selector: String, shown: [Shown])] = []
    /// References of all rules.
    private var ruled = 0
    private var open: [Int] = []

    /// - Parameter vertices: where markers may be drawn.
    mutating func begin(_ name: String, id: String?, classes: String, vertices: Int) {
        let place = elements.count
        // The first of several with the same name is meant.
        if let id, places[id] == nil { places[id] = place }
        elements.append(Element(parent: open.last ?? -1, vertices: vertices, name: name, classes: classes))
        open.append(place)
    }

    /// The element that shows the target of a reference in the element that has begun last.
    enum Bearer {
        case itself
        /// The element around it, which it animates.
        case parent
        /// Any element.
        case anyone
    }

    mutating func refer(_ reference: DrawingReference, by bearer: Bearer) throws(XMLFault) {
        let shown = numbered(reference)
        switch bearer {
        case .itself: try append(shown, at: open.last ?? 0)
        case .parent: try append(shown, at: open.dropLast().last ?? 0)
        case .anyone: try append(ofAnyone: shown)
        }
    }

    mutating func end() {
        guard let place = open.popLast() else { return }
        elements[place].length = elements.count - place
    }

    /// - Parameter sheet: as it is written.
    mutating func style(_ sheet: String) throws(XMLFault) {
        for rule in sheet.split(separator: "}") where rule.utf8.contains(UInt8(ascii: "(")) {
            let selectors = rule.prefix { $0 != "{" }
            let shown = DrawingReference.all(inDeclarations: rule.dropFirst(selectors.count + 1))
                .map { numbered($0) }
            guard !shown.isEmpty else { continue }
            // Each selector has them, even if it fits nothing.
            for selector in selectors.split(separator: ",") {
                ruled += shown.count
                guard ruled <= Self.mostReferences else { throw XMLFault("too many references") }
                rules.append((String(selector), shown))
            }
        }
    }

    /// Throws if there would be too many.
    mutating func check() throws(XMLFault) {
        try applyRules()
        references.sort { $0.place < $1.place }
        targets = Array(repeating: -1, count: numbers.count)
        for (name, number) in numbers { targets[number] = places[name] ?? -1 }
        var count = DrawingCount(self)
        try count.check()
    }

    private mutating func numbered(_ reference: DrawingReference) -> Shown {
        let number = numbers[reference.id] ?? numbers.count
        numbers[reference.id] = number
        return Shown(kind: reference.kind, number: number)
    }

    private mutating func append(ofAnyone shown: Shown) throws(XMLFault) {
        let kind = shown.kind.isInherited ? shown.kind : .paint
        try append(Shown(kind: kind, number: shown.number), at: 0)
    }

    private mutating func append(_ shown: Shown, at place: Int) throws(XMLFault) {
        references.append(Reference(place: place, shown: shown))
        guard references.count <= Self.mostReferences else { throw XMLFault("too many references") }
    }

    // MARK: Style sheets

    /// A rule counts for each element that has the class, the name or the type that its selector ends with; one that ends
    /// with none of these for the whole.
    private mutating func applyRules() throws(XMLFault) {
        guard !rules.isEmpty else { return }
        var byKey: [String: [Shown]] = [:]
        for rule in rules { byKey[Self.key(of: rule.selector), default: []] += rule.shown }
        for shown in byKey["*"] ?? [] { try append(ofAnyone: shown) }
        for (id, place) in places { try apply(byKey["#\(id)"], at: place) }
        for (place, element) in elements.enumerated() {
            try apply(byKey[element.name], at: place)
            for name in element.classes.split(whereSeparator: \.isWhitespace) {
                try apply(byKey[".\(name)"], at: place)
            }
        }
    }

    private mutating func apply(_ shown: [Shown]?, at place: Int) throws(XMLFault) {
        for shown in shown ?? [] { try append(shown, at: place) }
    }

    /// `.class`, `#name`, a type, or `*` for what is none of them.
    private static func key(of selector: String) -> String {
        let compound = selector.split { " \t\r\n>+~".contains($0) }.last ?? ""
        guard !compound.contains("("), !compound.contains(":") else { return "*" }
        if let mark = compound.lastIndex(where: { ".#".contains($0) }) { return String(compound[mark...]) }
        return compound.isEmpty ? "*" : String(compound)
    }
}
