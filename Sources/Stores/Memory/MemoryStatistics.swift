// SPDX-License-Identifier: Apache-2.0

/// Totals since the store was made, except `entries` and `cost`, which are present numbers.
package struct MemoryStatistics: Sendable, Hashable {
    /// Present number of entries.
    package internal(set) var entries = 0
    /// Present sum of costs: bytes, or entries in a store that measures entries.
    package internal(set) var cost = 0
    /// Lookups that found a value.
    package internal(set) var hits = 0
    /// Lookups that found no value.
    package internal(set) var misses = 0
    /// Entries removed to make room.
    package internal(set) var evictions = 0
    /// Values too large to insert.
    package internal(set) var refused = 0

    mutating func add(_ other: MemoryStatistics) {
        entries += other.entries
        cost += other.cost
        hits += other.hits
        misses += other.misses
        evictions += other.evictions
        refused += other.refused
    }
}
