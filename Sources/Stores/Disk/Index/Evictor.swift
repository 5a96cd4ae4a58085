// SPDX-License-Identifier: Apache-2.0

/// Eviction by sampled LRU: of 16 entries drawn at random, the least recently used one is evicted.
///
/// Sixteen draws come close to a true LRU without a list that every hit would have to lock and reorder
/// (Redis' maxmemory policy does the same with 5 to 10).
///
/// Entries are evicted for four reasons. A partition is above the high water, and goes down to the low water. A file found no
/// room in its partition, so room is made. Or the file system has too few free bytes or inodes, or has refused a file; then both
/// partitions give up entries in proportion to their size.
struct Evictor: Sendable {
    static let draws = 16
    /// How many entries are evicted before the writer returns to its queue: about 30 ms with their files.
    static let slice = 256
    /// After a refused file, room is made for so many files of its size.
    static let filesRefused = 4
    /// After a refused file, at least one in so many bytes of the cache is freed.
    private static let leastRoom = 128

    let catalogue: Catalogue
    let high: Double
    let low: Double
    private var random: SplitMix64
    /// The bytes to which a partition is reduced; nil if it stays as it is.
    private var goals: [Footer.Kind: Int] = [:]

    init(_ catalogue: Catalogue, high: Double, low: Double, seed: UInt64) {
        self.catalogue = catalogue
        self.high = high
        self.low = low
        random = SplitMix64(seed: seed)
    }

    /// Evicts to the low water, even if the high water is not reached.
    mutating func shrink() {
        for kind in [Footer.Kind.original, .rendition] { lower(kind, to: mark(low, of: kind)) }
    }

    /// Makes room for a file that the file system has refused, whatever free space it reports. Otherwise a cache that fills a
    /// whole file system or quota would keep its first pictures for ever and no others. Room is made for four such files, so that
    /// not every second file is refused. At most half of all bytes are freed, as for a file that finds no room in its partition.
    mutating func makeRoom(forRefused size: Int) {
        let held = catalogue.bytes
        guard size <= held / 2, held > 0 else { return }
        // Cannot trap: `FileEntry.longest` limits a file's size.
        let room = max(min(size * Self.filesRefused, held / 2), held / Self.leastRoom)
        let part = Double(room) / Double(held)
        for kind in [Footer.Kind.original, .rendition] {
            let bytes = catalogue.partition(kind).bytes
            // Cannot trap: sizes of bodies are limited, and the part is at most a half.
            lower(kind, to: bytes - Int((Double(bytes) * part).rounded(.up)))
        }
    }

    private mutating func lower(_ kind: Footer.Kind, to goal: Int) {
        goals[kind] = min(goals[kind] ?? .max, goal)
    }

    private func mark(_ water: Double, of kind: Footer.Kind) -> Int {
        // Cannot trap: byte counts in settings are limited, and a water mark is at most 1.
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
        // Cannot trap: sizes of bodies are limited, and the part is at most 1.
        var goal = partition.bytes - Int((Double(partition.bytes) * parts.bytes).rounded(.up))
        goal = min(goal, goals[kind] ?? .max)
        // Counting the table takes a lock for each shard, so it is only done for a shortage of inodes.
        // Cannot trap: the result is at most the number of entries.
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

    /// Removes the least recently used entry of a sample; nil if the partition is empty.
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
