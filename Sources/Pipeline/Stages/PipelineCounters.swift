// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// The pipeline's counters since it was made. Each only rises; the daemon reads them for its metrics.
///
/// **Isolation:** atomics, each for itself; a reading is no snapshot of one moment.
package final class PipelineCounters: Sendable {
    /// Unconditional requests to origins.
    package let fetches = Atomic<Int>(0)
    /// Conditional requests to origins.
    package let revalidations = Atomic<Int>(0)
    /// Of both, those for which no client waited at the start.
    package let backgroundRefreshes = Atomic<Int>(0)
    /// Origins' answers that left the held bytes in force: a 304, or a 200 with the same digest.
    package let unchanged = Atomic<Int>(0)
    /// Jobs given to a decoder.
    package let renders = Atomic<Int>(0)
    /// Requests that waited for another's in-flight request.
    package let joinedOriginals = Atomic<Int>(0)
    package let joinedRenditions = Atomic<Int>(0)
    /// Failures answered from memory.
    package let negativeHits = Atomic<Int>(0)
    /// Answers made from a stale original.
    package let staleServed = Atomic<Int>(0)
    /// Held originals whose bytes were gone or damaged when they were needed.
    package let vanishedBodies = Atomic<Int>(0)
    /// Requests refused for want of a slot.
    package let overloaded = Atomic<Int>(0)
    /// Requests refused because too many renditions of their original were made.
    package let refusedRenditions = Atomic<Int>(0)

    package init() {}
}

extension Atomic<Int> {
    borrowing func count() { wrappingAdd(1, ordering: .relaxed) }
    package borrowing func read() -> Int { load(ordering: .relaxed) }
}
