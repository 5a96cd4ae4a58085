// SPDX-License-Identifier: Apache-2.0

/// Counts the elements that a drawing shows once every reference is replaced by its target. Some hundred bytes can stand for
/// more elements than any program draws, because a target may hold references to others. `use` makes copies; a pattern is
/// drawn for each element that it paints, a marker at each vertex; a mask, a clipping path and a filter for each element
/// that has one.
struct DrawingCopies {
    /// The most elements that may be drawn, copies included.
    static let most = 200_000
    /// The most copies that may lie within one another.
    static let deepest = 16
    /// The most references. A style sheet's reference counts once for each element that its rule fits. The same limit
    /// holds for the style sheets' references, counted once for each selector.
    static let mostReferences = 100_000
    /// The number of elements that one use of a filter counts as.
    static let filterWeight = 20

    struct Element {
        /// The number of elements in this subtree: the element itself and its descendants, which follow it.
        var length = 1
        /// The index of the parent element; −1 for the root.
        let parent: Int
        /// The number of vertices at which markers may be drawn; 0 for an element without markers.
        let vertices: Int
        let name: String
        let classes: String
    }

    struct Reference {
        let place: Int
        let shown: Shown
    }

    /// A reference with a number in place of its target's name. A name may be as long as the file, and would be
    /// compared for each element that a rule fits.
    struct Shown {
        let kind: DrawingReference.Kind
        let number: Int
    }

    /// In document order.
    private(set) var elements: [Element] = []
    private(set) var references: [Reference] = []
    /// The index of the element that each number names, set once everything is read; −1 if no element has the
    /// name.
    private(set) var targets: [Int] = []
    private var places: [String: Int] = [:]
    /// The number of each name that a reference has.
    private var numbers: [String: Int] = [:]
    private var rules: [(selector: String, shown: [Shown])] = []
    /// The number of references in all rules, counted once for each selector.
    private var ruled = 0
    private var open: [Int] = []

    /// - Parameter vertices: the number of vertices at which markers may be drawn.
    mutating func begin(_ name: String, id: String?, classes: String, vertices: Int) {
        let place = elements.count
        // Of several elements with the same name, a reference means the first.
        if let id, places[id] == nil { places[id] = place }
        elements.append(Element(parent: open.last ?? -1, vertices: vertices, name: name, classes: classes))
        open.append(place)
    }

    /// The element at which a reference of the latest element shows its target.
    enum Bearer {
        case itself
        /// The parent element, which the latest element animates.
        case parent
        /// Any element of the drawing.
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

    /// - Parameter sheet: the style sheet as the copy has it.
    mutating func style(_ sheet: String) throws(XMLFault) {
        for rule in sheet.split(separator: "}") where rule.utf8.contains(UInt8(ascii: "(")) {
            let selectors = rule.prefix { $0 != "{" }
            let shown = DrawingReference.all(inDeclarations: rule.dropFirst(selectors.count + 1))
                .map { numbered($0) }
            guard !shown.isEmpty else { continue }
            // Each selector counts its references, even if it fits no element.
            for selector in selectors.split(separator: ",") {
                ruled += shown.count
                guard ruled <= Self.mostReferences else { throw XMLFault("too many references") }
                rules.append((String(selector), shown))
            }
        }
    }

    /// Throws if too many elements would be drawn.
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

    /// A rule's references count at each element that has the class, the name or the type that the selector ends with. A
    /// rule whose selector ends in none of these counts at the root, for any element of the drawing.
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

    /// `.class`, `#name`, a type, or `*` if the selector ends in none of these.
    private static func key(of selector: String) -> String {
        let compound = selector.split { " \t\r\n>+~".contains($0) }.last ?? ""
        guard !compound.contains("("), !compound.contains(":") else { return "*" }
        if let mark = compound.lastIndex(where: { ".#".contains($0) }) { return String(compound[mark...]) }
        return compound.isEmpty ? "*" : String(compound)
    }
}
