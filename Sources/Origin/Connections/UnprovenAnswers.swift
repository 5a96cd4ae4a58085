// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// The originals whose answers may still turn out to belong to other requests (response desynchronisation): neither has silence
/// proved them, nor have the caches forgotten them. The disk cache marks their rows, so that a start after a kill can forget them.
///
/// Origins determine how many there are, so the number is bounded. Once this set is full, a connection that has answered gets no
/// further request (`Connections.mayAsk`), and no more answers come into doubt.
///
/// **Isolation:** a `Mutex`. An answer is entered before the requests that wait for it get it.
package final class UnprovenAnswers: Sendable {
    private struct State {
        /// The number of unproven answers of each original.
        var counts: [OriginalKey: Int] = [:]
        /// The number of all unproven answers.
        var total = 0
    }

    /// The number of answers at which the set is full: 40 connections with runs of 256. Answers that are under way by then are
    /// still entered.
    package static let limit = 10_000

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int = UnprovenAnswers.limit) { self.limit = limit }

    package func contains(_ key: OriginalKey) -> Bool { state.withLock { $0.counts[key] != nil } }

    /// True while no further answer may come into doubt.
    var isFull: Bool { state.withLock { $0.total >= limit } }

    /// Enters one answer for each of the keys.
    func insert(_ keys: [OriginalKey]) {
        guard !keys.isEmpty else { return }
        state.withLock { state in
            for key in keys { state.counts[key, default: 0] += 1 }
            state.total += keys.count
        }
    }

    /// Takes out one answer for each of the keys: it is proved, or the caches have forgotten it.
    package func remove(_ keys: [OriginalKey]) {
        guard !keys.isEmpty else { return }
        state.withLock { state in
            for key in keys {
                guard let count = state.counts[key] else { continue }
                state.counts[key] = count > 1 ? count - 1 : nil
                state.total -= 1
            }
        }
    }
}
