// SPDX-License-Identifier: Apache-2.0

/// Counts the elements that a drawing draws. The count of each part is computed once and reused wherever the
/// part is shown.
struct DrawingCount {
    /// The most references that may be visited, whether or not they lead to an element.
    static let mostSteps = 4_000_000

    private let drawing: DrawingCopies
    /// Running sums: the number of vertices of all elements before each index.
    private let vertices: [Int]
    private var known: [Part: Int] = [:]
    /// Parts that are being counted, with their depths. A reference from a part to itself counts 0, because
    /// drawing programs do not follow it.
    private var open: [Part: Int] = [:]
    /// The least depth of the open parts that were met during a count. A count that met an open part is not remembered,
    /// because the open part counts in full when it is shown from elsewhere.
    private var met = Int.max
    private var steps = 0

    private struct Part: Hashable {
        enum Count: UInt8 {
            /// All that is drawn where `use` shows the part.
            case used
            /// All that is drawn where another reference shows the part: the part then inherits from the elements around
            /// its definition.
            case defined
            /// The elements of the part and of its copies.
            case elements
            /// The vertices of those elements.
            case vertices
        }

        let place: Int
        let count: Count
    }

    /// - Parameter drawing: its references are sorted by place, and its targets are set.
    init(_ drawing: DrawingCopies) {
        self.drawing = drawing
        var sums = [0]
        // Cannot trap: the sum is no more than the drawing's bytes.
        for element in drawing.elements { sums.append((sums.last ?? 0) + element.vertices) }
        vertices = sums
    }

    /// Throws if the drawing has too many elements or references.
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

    /// The elements of the part, and all that its references show.
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

    /// - Parameter place: the element that bears the reference. Inherited references count for the elements within it
    ///   too.
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
        // Cannot trap: both factors are at most 200,000.
        return try checked(sum + times * shown)
    }

    private mutating func plain(_ part: Part, _ depth: Int) throws(XMLFault) -> Int {
        let end = part.place + drawing.elements[part.place].length
        // Cannot trap: `vertices` has one entry more than there are elements.
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

    /// The index of the first reference at or behind `place`, by binary search.
    private func firstReference(from place: Int) -> Int {
        var (low, high) = (0, drawing.references.count)
        while low < high {
            let middle = (low + high) / 2
            if drawing.references[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
