// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Totals of the shared store since the start, and the numbers of waiting writes.
package struct SharedStatistics: Sendable, Hashable {
    /// Reads that found an object.
    package var hits = 0
    /// Reads for which there was no object.
    package var misses = 0
    /// Objects that were cut short, altered, or belong to another name.
    package var damaged = 0
    /// Reads of objects that this node has purged.
    package var purged = 0
    /// Reads that the store did not answer in time.
    package var timeouts = 0
    /// Reads that the store refused, or that did not reach it.
    package var errors = 0
    /// Reads that were not made, because the store rests, too many reads are under way, or the object is larger than
    /// this node's queue.
    package var skipped = 0
    /// Objects written.
    package var written = 0
    /// Objects that could not be written.
    package var failedWrites = 0
    /// Objects that were not written, because the queue was full.
    package var dropped = 0
    /// Objects deleted, or found to be gone already.
    package var deleted = 0
    /// Changes that wait to be written.
    package var waiting = 0
    /// Bytes that wait to be written.
    package var waitingBytes = 0
    /// 1 while the store is read; 0 while it rests after failures, and without a store.
    package var reading = 0
    /// 1 while the store is written to; 0 while it rests after failures, and without a store.
    package var writing = 0

    package init() {}
}

/// **Isolation:** atomic.
final class SharedCounters: Sendable {
    let hits = Atomic(0)
    let misses = Atomic(0)
    let damaged = Atomic(0)
    let purged = Atomic(0)
    let timeouts = Atomic(0)
    let errors = Atomic(0)
    let skipped = Atomic(0)
    let written = Atomic(0)
    let failedWrites = Atomic(0)
    let dropped = Atomic(0)
    let deleted = Atomic(0)

    func add(_ counter: borrowing Atomic<Int>, _ count: Int = 1) { counter.add(count, ordering: .relaxed) }

    func fill(_ statistics: inout SharedStatistics) {
        func read(_ counter: borrowing Atomic<Int>) -> Int { counter.load(ordering: .relaxed) }
        statistics.hits = read(hits)
        statistics.misses = read(misses)
        statistics.damaged = read(damaged)
        statistics.purged = read(purged)
        statistics.timeouts = read(timeouts)
        statistics.errors = read(errors)
        statistics.skipped = read(skipped)
        statistics.written = read(written)
        statistics.failedWrites = read(failedWrites)
        statistics.dropped = read(dropped)
        statistics.deleted = read(deleted)
    }
}
