// SPDX-License-Identifier: Apache-2.0

/// Counts the elements that a drawing draws, part by part; each part once, whichever element shows it.
struct DrawingCount {
    /// References that are followed, or found to lead nowhere new.
    static let mostSteps = 4_000_000

    private let drawing: DrawingCopies
    /// Vertices of all elements before.
    private let vertices: [Int]
    private var known: [Part: Int] = [:]
    /// Parts that are being counted, with their depths. A drawing that shows itself shows nothing there.
    private var open: [Part: Int] = [:]
    /// The least depth of those that were met while they were open. Counts from then are not remembered: from elsewhere those
    /// parts are shown.
    private var met = Int.max
    private var steps = 0

    private struct Part: Hashable {
        enum Count: UInt8 {
            /// All that is drawn for the part, where `use` shows it.
            case used
            /// The same where another reference shows the part: it then inherits from the elements around its definition.
            case defined
            /// The elements of the part and those of its copies.
            case elements
            /// The vertices of those elements.
            case vertices
        }

        let place: Int
        let count: Count
    }

    /// - Parameter drawing: with its references in the order of their places, and with targets.
    init(_ drawing: DrawingCopies) {
        self.drawing = drawing
        var sums = [0]
        // Cannot trap: no more than the bytes of the drawing.
        for element in drawing.elements { sums.append((sums.last ?? 0) + element.vertices) }
        vertices = sums
    }

    /// Throws if there is too much of it.
    mutating func check() throws(XMLFault) {
        guard !drawing.elements.isEmpty else { return }
        _ = try count(Part(place: 0, count: .used), depth: 0)
    }

    private mutating func count(_ part: Part, depth: Int) throws(XMLFault) -> Int {
        if let known = known[part] { return known }
        if let opened = open[part] {
            met = min(met, opened)
            return 0
        }
        guard depth <= DrawingCopies.deepest else { throw XMLFault("copies too deep") }
        let before = met
        met = .max
        open[part] = depth
        let sum =
            switch part.count {
            case .used, .defined: try drawn(part, depth)
            case .elements, .vertices: try plain(part, depth)
            }
        open[part] = nil
        if met >= depth {
            known[part] = sum
            met = before
        } else {
            met = min(met, before)
        }
        return sum
    }

    /// The part, and all that is shown for it and within it.
    private mutating func drawn(_ part: Part, _ depth: Int) throws(XMLFault) -> Int {
        let place = part.place
        var sum = drawing.elements[place].length
        let end = place + sum
        for reference in drawing.references[firstReference(from: place)...] {
            guard reference.place < end else { break }
            sum = try add(reference, at: reference.place, to: sum, depth)
        }
        guard part.count == .defined else { return sum }
        var outer = drawing.elements[place].parent
        while outer >= 0 {
            for reference in drawing.references[firstReference(from: outer)...] {
                guard reference.place == outer else { break }
                if reference.shown.kind.isInherited { sum = try add(reference, at: place, to: sum, depth) }
            }
            outer = drawing.elements[outer].parent
        }
        return sum
    }

    /// - Parameter place: the element that the target is counted for, with the elements within it where they inherit it.
    private mutating func add(
        _ reference: DrawingCopies.Reference, at place: Int, to sum: Int, _ depth: Int
    ) throws(XMLFault) -> Int {
        try step()
        let target = drawing.targets[reference.shown.number]
        guard target >= 0 else { return sum }
        var times = 1
        switch reference.shown.kind {
        case .use, .once: break
        case .filter: times = DrawingCopies.filterWeight
        case .paint: times = try count(Part(place: place, count: .elements), depth: depth)
        case .marker: times = try count(Part(place: place, count: .vertices), depth: depth)
        }
        let isUse = reference.shown.kind == .use
        let shown = try count(Part(place: target, count: isUse ? .used : .defined), depth: depth + 1)
        // Cannot trap: each is no more than 200,000.
        return try checked(sum + times * shown)
    }

    private mutating func plain(_ part: Part, _ depth: Int) throws(XMLFault) -> Int {
        let end = part.place + drawing.elements[part.place].length
        // Cannot trap: there is one sum more than elements.
        var sum =
            part.count == .vertices ? vertices[end] - vertices[part.place] : end - part.place
        for reference in drawing.references[firstReference(from: part.place)...] {
            guard reference.place < end else { break }
            try step()
            let target = drawing.targets[reference.shown.number]
            guard reference.shown.kind == .use, target >= 0 else { continue }
            sum = try checked(sum + count(Part(place: target, count: part.count), depth: depth + 1))
        }
        return try checked(sum)
    }

    private func checked(_ sum: Int) throws(XMLFault) -> Int {
        guard sum <= DrawingCopies.most else { throw XMLFault("too many copies") }
        return sum
    }

    private mutating func step() throws(XMLFault) {
        steps += 1
        guard steps <= Self.mostSteps else { throw XMLFault("too many copies") }
    }

    /// By halving.
    private func firstReference(from place: Int) -> Int {
        var (low, high) = (0, drawing.references.count)
        while low < high {
            let middle = (low + high) / 2
            if drawing.references[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
