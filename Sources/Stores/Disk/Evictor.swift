// SPDX-License-Identifier: Apache-2.0

/// Finds what leaves when a partition is too full: of 16 entries drawn at random, the longest unused.
///
/// Sixteen draws come close to a true LRU, and need no list that every hit would have to lock and rearrange
/// (Redis' maxmemory policy does the same with 5 to 10).
///
/// Two reasons to leave: a partition's own budget, from the high to the low water; and a file system with too few bytes or
/// inodes free, which both caches yield to in proportion to what they hold.
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

    /// The next slice of removals of both caches; none when there is room.
    ///
    /// - Parameters:
    ///   - moment: now, in seconds since 1970.
    ///   - shortage: what the file system lacks.
    mutating func next(at moment: UInt32, shortage: Room.Shortage) -> [Change] {
        func part(_ lacking: Int, of held: Int) -> Double {
            held > 0 ? min(1, Double(lacking) / Double(held)) : 0
        }
        let parts = (
            bytes: part(shortage.bytes, of: catalogue.bytes),
            files: shortage.files > 0 ? part(shortage.files, of: catalogue.fileCount) : 0
        )
        return next(.original, at: moment, giving: parts) + next(.rendition, at: moment, giving: parts)
    }

    private mutating func next(
        _ kind: Footer.Kind, at moment: UInt32, giving parts: (bytes: Double, files: Double)
    ) -> [Change] {
        let partition = catalogue.partition(kind)
        // Cannot trap: settings of bytes are bounded, and a mark is no more than 1.
        let mark = Int(Double(partition.budget) * (isShrinking[kind] == true ? low : high))
        isShrinking[kind] = partition.bytes > mark
        // What is kept between here and the loop below is no reason to leave.
        guard isShrinking[kind] == true || parts.bytes > 0 || parts.files > 0 else { return [] }
        // Cannot trap: bodies are bounded, and the part is no more than 1.
        var goal = partition.bytes - Int((Double(partition.bytes) * parts.bytes).rounded(.up))
        // Cannot trap: as above.
        if isShrinking[kind] == true { goal = min(goal, Int(Double(partition.budget) * low)) }
        // Counted shard by shard, which only a shortage of them is worth.
        // Cannot trap: as above, of entries.
        var surplus = parts.files > 0 ? Int((Double(partition.table.count) * parts.files).rounded(.up)) : 0
        var changes: [Change] = []
        while changes.count < Self.slice, partition.bytes > goal || surplus > 0 {
            guard let removed = removeOldest(kind, at: moment) else { break }
            changes += removed
            // A name that shares its file with others gives back none.
            surplus -= removed.count { $0.released.map { partition.table[$0.name] == nil } ?? false }
        }
        return changes
    }

    /// Nil: there is nothing left.
    private mutating func removeOldest(_ kind: Footer.Kind, at moment: UInt32) -> [Change]? {
        switch kind {
        case .original:
            let name = catalogue.names.oldest(of: Self.draws, at: moment, using: &random)
            return name.map { catalogue.removeName($0.key) }
        case .rendition:
            let file = catalogue.renditions.table.oldest(of: Self.draws, at: moment, using: &random)
            return file.map { catalogue.removeRendition($0.key) }
        }
    }
}
