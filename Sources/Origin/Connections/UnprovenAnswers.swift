// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// The originals with answers that may still turn out to belong to other requests: those that neither silence has proved nor the
/// caches have forgotten. A cache that outlives the process marks what it writes of them, because a process that is killed can
/// forget nothing.
///
/// An origin decides how many there are. Once it is full, no connection that has answered is asked again
/// (`Connections.mayAsk`), so that no more answers come into doubt.
///
/// **Isolation:** a `Mutex`. An answer is entered before whoever waits for it gets it.
package final class UnprovenAnswers: Sendable {
    private struct State {
        /// Answers of each original.
        var counts: [OriginalKey: Int] = [:]
        /// Answers of all.
        var total = 0
    }

    /// Answers from which on it is full: 40 connections with runs of 256. Those that are under way then still come in.
    package static let limit = 10_000

    private let limit: Int
    private let state = Mutex(State())

    package init(limit: Int = UnprovenAnswers.limit) { self.limit = limit }

    package func contains(_ key: OriginalKey) -> Bool { state.withLock { $0.counts[key] != nil } }

    /// True while no further answer may come into doubt.
    var isFull: Bool { state.withLock { $0.total >= limit } }

    /// Enters an answer of each.
    func insert(_ keys: [OriginalKey]) {
        guard !keys.isEmpty else { return }
        state.withLock { state in
            for key in keys { state.counts[key, default: 0] += 1 }
            state.total += keys.count
        }
    }

    /// An answer of each is proved, or forgotten.
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
