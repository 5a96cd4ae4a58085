// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A watchdog's heartbeat: the time by which the network thread must turn again.
///
/// A turn calls into libcurl, OpenSSL and the file system. A call that blocks there blocks every fetch and
/// the deadlines, which the same thread keeps; so another thread has to look.
///
/// **Isolation:** an atomic.
final class Heartbeat: Sendable {
    /// No turn is expected: the thread has not started, or has ended.
    private static let never = Ticks.max

    private let due = Atomic<Ticks>(never)

    /// A turn begins.
    func turn(at now: Ticks) { due.store(now, ordering: .relaxed) }

    /// The thread waits until `moment` at most.
    func rest(until moment: Ticks) { due.store(moment, ordering: .relaxed) }

    func end() { due.store(Self.never, ordering: .relaxed) }

    /// Microseconds by which the thread is late with its next turn; 0 if it is on time.
    func lateness(at now: Ticks) -> Ticks {
        let due = due.load(ordering: .relaxed)
        return due < now ? now - due : 0
    }
}
