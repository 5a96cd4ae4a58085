// SPDX-License-Identifier: Apache-2.0

/// The elements of a drawing when each `use` is replaced by what it shows: some hundred bytes can stand for more than any
/// program holds, because what is shown may use others.
struct DrawingCopies {
    /// Elements that are shown, copies included.
    static let most = 200_000
    /// Copies within one another.
    static let deepest = 16

    /// Elements in their order; those within an element follow it.
    private var lengths: [Int] = []
    private var uses: [(place: Int, id: String)] = []
    private var places: [String: Int] = [:]
    private var open: [Int] = []

    mutating func begin(id: String?, copying link: String?) {
        let place = lengths.count
        // The first of several with the same name is meant.
        if let id, places[id] == nil { places[id] = place }
        if let link { uses.append((place, link)) }
        open.append(place)
        lengths.append(1)
    }

    mutating func end() {
        guard let place = open.popLast() else { return }
        lengths[place] = lengths.count - place
    }

    /// Throws if there would be too many.
    func check() throws(XMLFault) {
        var known: [Int: Int] = [:]
        _ = try count(from: 0, depth: 0, &known)
    }

    /// The element and all within it. A drawing that shows itself shows nothing there.
    private func count(from place: Int, depth: Int, _ known: inout [Int: Int]) throws(XMLFault) -> Int {
        if let known = known[place] { return known }
        guard depth <= Self.deepest, lengths.indices.contains(place) else {
            throw XMLFault("copies too deep")
        }
        known[place] = 0
        let end = place + lengths[place]
        var sum = lengths[place]
        for use in uses[firstUse(from: place)...] {
            guard use.place < end else { break }
            guard let target = places[use.id] else { continue }
            sum += try count(from: target, depth: depth + 1, &known)
            guard sum <= Self.most else { throw XMLFault("too many copies") }
        }
        known[place] = sum
        return sum
    }

    /// By halving.
    private func firstUse(from place: Int) -> Int {
        var (low, high) = (0, uses.count)
        while low < high {
            let middle = (low + high) / 2
            if uses[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
