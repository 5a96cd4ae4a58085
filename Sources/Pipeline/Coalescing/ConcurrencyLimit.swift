// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A semaphore that never waits: counts work of one kind up to a limit; beyond it, the work is left undone.
///
/// **Isolation:** an atomic.
final class ConcurrencyLimit: Sendable {
    private let taken = Atomic<Int>(0)

    /// Takes a place; false if all are taken.
    func enter(limit: Int) -> Bool {
        if taken.wrappingAdd(1, ordering: .relaxed).newValue <= limit { return true }
        leave()
        return false
    }

    func areFull(limit: Int) -> Bool { taken.load(ordering: .relaxed) >= limit }

    func leave() { taken.wrappingSubtract(1, ordering: .relaxed) }
}
