// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How many of a kind are under way, up to a limit, for work that is left undone rather than queued.
///
/// **Isolation:** an atomic.
final class ConcurrencyLimit: Sendable {
    private let taken = Atomic<Int>(0)

    /// False where all are taken.
    func enter(limit: Int) -> Bool {
        if taken.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        leave()
        return false
    }

    func areFull(limit: Int) -> Bool { taken.load(ordering: .relaxed) >= limit }

    func leave() { taken.wrappingSubtract(1, ordering: .relaxed) }
}
