// SPDX-License-Identifier: Apache-2.0

internal import ImageModel

/// Finds what leaves when a shelf is too full: of 16 entries drawn at random, the longest unused.
///
/// Sixteen draws come close to a true LRU, and need no list that every hit would have to lock and rearrange
/// (Redis' maxmemory policy does the same with 5 to 10).
struct Evictor: Sendable {
    static let draws = 16
    /// Entries that leave before the writer looks at its queue again: about 30 ms with their files.
    static let slice = 256

    let catalogue: Catalogue
    let high: Double
    let low: Double
    private var random: SplitMix64
    private var isShrinking: [Footer.Kind: Bool] = [:]

    init(_ catalogue: Catalogue, high: Double, low: Double, seed: UInt64) {
        self.catalogue = catalogue
        self.high = high
        self.low = low
        random = SplitMix64(seed: seed)
    }

    /// Goes down to the low water from wherever it is.
    mutating func shrink() { isShrinking = [.original: true, .rendition: true] }

    /// The next slice of removals of both shelves; none when there is room.
    mutating func next() -> [Change] { next(.original) + next(.rendition) }

    private mutating func next(_ kind: Footer.Kind) -> [Change] {
        let shelf = catalogue.shelf(kind)
        let mark = Int(Double(shelf.budget) * (isShrinking[kind] == true ? low : high))
        guard shelf.bytes > mark else {
            isShrinking[kind] = false
            return []
        }
        isShrinking[kind] = true
        let goal = Int(Double(shelf.budget) * low)
        var changes: [Change] = []
        while changes.count < Self.slice, shelf.bytes > goal {
            guard let removed = removeOldest(kind) else { break }
            changes += removed
        }
        return changes
    }

    /// Nil: there is nothing left.
    private mutating func removeOldest(_ kind: Footer.Kind) -> [Change]? {
        switch kind {
        case .original:
            guard let name = catalogue.names.oldest(of: Self.draws, using: &random) else { return nil }
            return catalogue.removeName(name.key)
        case .rendition:
            guard let file = catalogue.renditions.table.oldest(of: Self.draws, using: &random) else {
                return nil
            }
            return catalogue.removeRendition(file.key)
        }
    }
}
