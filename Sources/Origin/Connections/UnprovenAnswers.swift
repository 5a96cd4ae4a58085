// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// The originals with answers that may still turn out to belong to other requests: those that neither silence has proved nor the
/// caches have forgotten. A cache that outlives the process marks what it writes of them, because a process that is killed can
/// forget nothing.
///
/// **Isolation:** a `Mutex`. An answer is entered before whoever waits for it gets it.
package final class UnprovenAnswers: Sendable {
    /// Answers of each original.
    private let counts = Mutex<[OriginalKey: Int]>([:])

    package init() {}

    package func contains(_ key: OriginalKey) -> Bool { counts.withLock { $0[key] != nil } }

    /// Enters an answer of each.
    func insert(_ keys: [OriginalKey]) {
        guard !keys.isEmpty else { return }
        counts.withLock { counts in
            for key in keys { counts[key, default: 0] += 1 }
        }
    }

    /// An answer of each is proved, or forgotten.
    package func remove(_ keys: [OriginalKey]) {
        guard !keys.isEmpty else { return }
        counts.withLock { counts in
            for key in keys {
                let count = (counts[key] ?? 0) - 1
                counts[key] = count > 0 ? count : nil
            }
        }
    }
}
