// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The network thread's sign of life: by when it turns again.
///
/// A turn hands the thread to libcurl, to OpenSSL and to the file system. What holds one of them up holds up
/// every fetch, and the deadlines with them, which the same thread keeps; so another one has to look.
///
/// **Isolation:** an atomic.
final class Pulse: Sendable {
    /// Where nothing is expected: the thread is not there yet, or no more.
    private static let never = Ticks.max

    private let due = Atomic<Ticks>(never)

    /// A turn begins.
    func turn(at now: Ticks) { due.store(now, ordering: .relaxed) }

    /// It waits, for that long at most.
    func rest(until moment: Ticks) { due.store(moment, ordering: .relaxed) }

    func end() { due.store(Self.never, ordering: .relaxed) }

    /// Microseconds for which the thread has been at one turn, or has not come back from its wait.
    func lateness(at now: Ticks) -> Ticks {
        let due = due.load(ordering: .relaxed)
        return due < now ? now - due : 0
    }
}
