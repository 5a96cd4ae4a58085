// SPDX-License-Identifier: Apache-2.0

/// Eviction by sampled LRU: of 16 entries drawn at random, the least recently used leaves.
///
/// Sixteen draws come close to a true LRU without a list that every hit would have to lock and reorder
/// (Redis' maxmemory policy does the same with 5 to 10).
///
/// Entries leave for four reasons: a partition is above the high water, and goes down to the low water; a file found no room in
/// its partition, which is made; or the file system has too few free bytes or inodes, or has refused a file, for which both
/// partitions give up entries in proportion to their size.
struct Evictor: Sendable {
    static let draws = 16
    /// Entries that leave before the writer returns to its queue: about 30 ms with their files.
    static let slice = 256
    /// Files like the one that was refused for which room is made.
    private static let filesRefused = 4
    /// The part of all bytes that leaves at least when a file was refused: one in so many.
    private static let leastRoom = 128

    let catalogue: Catalogue
    let high: Double
    let low: Double
    private var random: SplitMix64
    /// Bytes that a partition goes down to; nil if it stays as it is.
    private var goals: [Footer.Kind: Int] = [:]

    init(_ catalogue: Catalogue, high: Double, low: Double, seed: UInt64) {
        self.catalogue = catalogue
        self.high = high
        self.low = low
        random = SplitMix64(seed: seed)
    }

    /// Evicts to the low water, also from below the high water.
    mutating func shrink() {
        for kind in [Footer.Kind.original, .rendition] { lower(kind, to: mark(low, of: kind)) }
    }

    /// Makes room for a file that the file system has refused, whatever it tells of its free bytes: else a cache that has all of a
    /// file system, or of a quota, to itself would keep its first pictures for ever and no others. Four times as much leaves, so
    /// that not every second file is refused. As for a file that finds no room in its partition, no more than half of all leaves.
    mutating func makeRoom(forRefused size: Int) {
        let held = catalogue.bytes
        guard size <= held / 2, held > 0 else { return }
        // Cannot trap: `FileEntry.longest` bounds a file.
        let room = max(min(size * Self.filesRefused, held / 2), held / Self.leastRoom)
        let part = Double(room) / Double(held)
        for kind in [Footer.Kind.original, .rendition] {
            let bytes = catalogue.partition(kind).bytes
            // Cannot trap: bodies are bounded, and the part is no more than a half.
            lower(kind, to: bytes - Int((Double(bytes) * part).rounded(.up)))
        }
    }

    private mutating func lower(_ kind: Footer.Kind, to goal: Int) {
        goals[kind] = min(goals[kind] ?? .max, goal)
    }

    private func mark(_ water: Double, of kind: Footer.Kind) -> Int {
        // Cannot trap: settings of bytes are bounded, and a mark is no more than 1.
        Int(Double(catalogue.partition(kind).budget) * water)
    }

    /// The next slice of removals from both partitions; empty if there is room.
    ///
    /// - Parameters:
    ///   - moment: now, in seconds since 1970.
    ///   - shortage: bytes and inodes that the file system lacks.
    mutating func next(at moment: UInt32, shortage: DiskSpace.Shortage) -> [Change] {
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
        let wanted = partition.takeWanted()
        if wanted > 0 { lower(kind, to: partition.budget - wanted) }
        if partition.bytes > mark(high, of: kind) { lower(kind, to: mark(low, of: kind)) }
        if let goal = goals[kind], partition.bytes <= goal { goals[kind] = nil }
        // Files that are kept between here and the loop below must not cause an eviction.
        guard goals[kind] != nil || parts.bytes > 0 || parts.files > 0 else { return [] }
        // Cannot trap: bodies are bounded, and the part is no more than 1.
        var goal = partition.bytes - Int((Double(partition.bytes) * parts.bytes).rounded(.up))
        goal = min(goal, goals[kind] ?? .max)
        // The table is counted shard by shard, so only for a shortage of inodes.
        // Cannot trap: as above, of entries.
        var surplus = parts.files > 0 ? Int((Double(partition.table.count) * parts.files).rounded(.up)) : 0
        var changes: [Change] = []
        while changes.count < Self.slice, partition.bytes > goal || surplus > 0 {
            guard let removed = removeOldest(kind, at: moment) else { break }
            changes += removed
            // A name that shares its file with others frees no inode.
            surplus -= removed.count { $0.released.map { partition.table[$0.name] == nil } ?? false }
        }
        return changes
    }

    /// Removes the oldest entry of a sample; nil if the partition is empty.
    private mutating func removeOldest(_ kind: Footer.Kind, at moment: UInt32) -> [Change]? {
        switch kind {
        case .original:
            let name = catalogue.names.oldest(of: Self.draws, at: moment, using: &random)
            return name.map { catalogue.removeName($0.key) { _ in } }
        case .rendition:
            let file = catalogue.renditions.table.oldest(of: Self.draws, at: moment, using: &random)
            return file.map { catalogue.removeRendition($0.key) { _ in } }
        }
    }
}
