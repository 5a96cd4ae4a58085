// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A heartbeat for the watchdog: the time by which the network thread must make its next turn.
///
/// A turn calls into libcurl, OpenSSL and the file system. A call that blocks there blocks every fetch, and also the deadlines,
/// which the same thread checks. So another thread must watch.
///
/// **Isolation:** an atomic.
final class Heartbeat: Sendable {
    /// No turn is expected, because the thread has not started or has ended.
    private static let never = Ticks.max

    private let due = Atomic<Ticks>(never)

    /// Called when a turn begins.
    func turn(at now: Ticks) { due.store(now, ordering: .relaxed) }

    /// Called before the thread waits until `moment` at the latest.
    func rest(until moment: Ticks) { due.store(moment, ordering: .relaxed) }

    func end() { due.store(Self.never, ordering: .relaxed) }

    /// Microseconds by which the thread is late with its next turn; 0 if it is on time.
    func lateness(at now: Ticks) -> Ticks {
        let due = due.load(ordering: .relaxed)
        return due < now ? now - due : 0
    }
}
