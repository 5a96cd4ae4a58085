// SPDX-License-Identifier: Apache-2.0

/// Counts by key. A key without a count takes no memory.
struct Tally<Key: Hashable & Sendable>: Sendable {
    private var counts: [Key: Int] = [:]

    subscript(key: Key) -> Int { counts[key] ?? 0 }

    /// The keys with a count.
    var keys: some Sequence<Key> { counts.keys }

    mutating func add(_ key: Key) { counts[key, default: 0] += 1 }

    mutating func remove(_ key: Key) {
        let left = self[key] - 1
        counts[key] = left > 0 ? left : nil
    }
}
