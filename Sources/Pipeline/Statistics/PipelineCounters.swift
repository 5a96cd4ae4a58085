// SPDX-License-Identifier: Apache-2.0

package import Synchronization

/// The pipeline's totals since it was made; the daemon reads them for its metrics.
///
/// **Isolation:** separate atomics; a reading is no snapshot of one moment.
package final class PipelineCounters: Sendable {
    /// Unconditional requests to origins.
    package let fetches = Atomic<Int>(0)
    /// Conditional requests to origins.
    package let revalidations = Atomic<Int>(0)
    /// Background refreshes: fetches and revalidations that started without a waiting client.
    package let backgroundRefreshes = Atomic<Int>(0)
    /// Origins' answers that left the held bytes valid: a 304, or a 200 with the same digest.
    package let unchanged = Atomic<Int>(0)
    /// Jobs given to a decoder.
    package let renders = Atomic<Int>(0)
    /// Requests that joined another's fetch.
    package let joinedOriginals = Atomic<Int>(0)
    /// Requests that joined another's rendering.
    package let joinedRenditions = Atomic<Int>(0)
    /// Failures answered from memory.
    package let negativeHits = Atomic<Int>(0)
    /// Answers from a stale original.
    package let staleServed = Atomic<Int>(0)
    /// Held originals whose bytes were missing or damaged when they were needed.
    package let vanishedBodies = Atomic<Int>(0)
    /// Requests refused for lack of a permit.
    package let overloaded = Atomic<Int>(0)
    /// Answers that stood in for an AVIF.
    package let substitutes = Atomic<Int>(0)
    /// Renditions made behind answers.
    package let laterRenditions = Atomic<Int>(0)
    /// Requests refused because of the quota of their original.
    package let refusedRenditions = Atomic<Int>(0)

    /// Every counter at 0.
    package init() {}
}

extension Atomic<Int> {
    borrowing func count() { wrappingAdd(1, ordering: .relaxed) }
    /// The present value, with relaxed ordering.
    package borrowing func read() -> Int { load(ordering: .relaxed) }
}
