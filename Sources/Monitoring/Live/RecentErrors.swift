// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Telemetry

/// The last answers with an error status. The same target's errors are one entry, so that a flood of one picture does
/// not hide the others.
///
/// **Isolation:** a `Mutex` that event loops only try.
package final class RecentErrors: Sendable {
    /// The errors of one target with one status.
    package struct Entry: Sendable, Hashable, Codable {
        /// As it was asked for, without its secrets, cut to `longest` bytes.
        package var target: String
        package var method: String
        package var status: Int
        /// The outcome's name, as in the log.
        package var outcome: String
        /// The stable code; nil where there is none.
        package var error: String?
        /// The time of the last one, in milliseconds since 1970.
        package var time: Int64
        /// How often.
        package var count: Int
    }

    private static let capacity = 50
    private static let longest = 1_024
    /// In one second. Beyond, they are counted under an entry that is there, or not at all.
    private static let newPerSecond = 20

    private struct State {
        var entries: [(hash: Int, entry: Entry)] = []
        /// By which the targets were looked through; with others the list begins anew.
        var secrets: SecretParameters?
        var second: Int64 = 0
        var new = 0
    }

    private let state = Mutex(State())

    init() {}

    /// On the event loop: must not wait.
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
            if let known = state.entries.firstIndex(where: { $0.hash == hash }) {
                var (_, entry) = state.entries.remove(at: known)
                entry.count += 1
                entry.time = time
                return state.entries.append((hash, entry))
            }
            if state.second != time / 1_000 { (state.second, state.new) = (time / 1_000, 0) }
            guard state.new < Self.newPerSecond else { return }
            state.new += 1
            // Cannot trap: there are some.
            if state.entries.count == Self.capacity { state.entries.removeFirst() }
            let entry = Entry(
                target: secrets.shown(target, longest: Self.longest),
                method: String(decoding: method.prefix(16), as: UTF8.self), status: status,
                outcome: outcome, error: error, time: time, count: 1)
            state.entries.append((hash, entry))
        }
    }

    /// The last first; none that may show one of these secrets, because others were hidden when it was noted.
    func entries(hiding secrets: SecretParameters) -> [Entry] {
        state.withLock { $0.secrets == secrets ? $0.entries.reversed().map(\.entry) : [] }
    }
}
