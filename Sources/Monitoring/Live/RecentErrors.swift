// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Telemetry

/// The last answers with an error status. The errors of one target with one status share an entry, so that many errors of one
/// picture do not hide the others.
///
/// **Isolation:** a `Mutex` that event loops only try to lock.
package final class RecentErrors: Sendable {
    /// The errors of one target with one status.
    package struct Entry: Sendable, Hashable, Codable {
        /// The target as requested, with its secrets hidden, cut to `longest` bytes.
        package var target: String
        package var method: String
        package var status: Int
        /// The outcome's name, as in the log.
        package var outcome: String
        /// The stable code; nil if there is none.
        package var error: String?
        /// When the last of these errors occurred, in milliseconds since 1970.
        package var time: Int64
        /// The number of errors.
        package var count: Int
    }

    private static let capacity = 50
    private static let longest = 1_024
    /// The most new entries in one second. Further errors only add to an existing entry.
    private static let newPerSecond = 20

    private struct State {
        var entries: [(hash: Int, entry: Entry)] = []
        /// The secrets that are hidden in the entries. When others are to be hidden, the list begins anew.
        var secrets: SecretParameters?
        var second: Int64 = 0
        var new = 0

        /// Adds to the entry of this hash; false if there is none.
        mutating func count(_ hash: Int, at time: Int64) -> Bool {
            guard let known = entries.firstIndex(where: { $0.hash == hash }) else { return false }
            var (_, entry) = entries.remove(at: known)
            entry.count += 1
            entry.time = time
            entries.append((hash, entry))
            return true
        }

        /// False if this second has had its new entries.
        mutating func takesNew(at time: Int64) -> Bool {
            if second != time / 1_000 { (second, new) = (time / 1_000, 0) }
            guard new < RecentErrors.newPerSecond else { return false }
            new += 1
            return true
        }

        mutating func append(_ entry: Entry, _ hash: Int) {
            // Cannot trap: `capacity` is not 0.
            if entries.count == RecentErrors.capacity { entries.removeFirst() }
            entries.append((hash, entry))
        }
    }

    private let state = Mutex(State())

    init() {}

    /// Called on an event loop, so it must not wait.
    func note(
        method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer, status: Int, outcome: String,
        error: String? = nil,
        time: Int64, hiding secrets: SecretParameters
    ) {
        var hasher = Hasher()
        hasher.combine(status)
        secrets.hash(target, into: &hasher)
        let hash = hasher.finalize()
        _ = state.withLockIfAvailable { state in
            if state.secrets != secrets { (state.entries, state.secrets) = ([], secrets) }
            guard !state.count(hash, at: time), state.takesNew(at: time) else { return }
            let entry = Entry(
                target: secrets.shown(target, longest: Self.longest),
                method: String(decoding: method.prefix(16), as: UTF8.self), status: status,
                outcome: outcome, error: error, time: time, count: 1)
            state.append(entry, hash)
        }
    }

    /// The entries, the newest first. Empty if the entries were noted while other secrets were hidden, because they may show one
    /// of these.
    func entries(hiding secrets: SecretParameters) -> [Entry] {
        state.withLock { $0.secrets == secrets ? $0.entries.reversed().map(\.entry) : [] }
    }
}
