// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Synchronization

/// The thread on which alarms go off.
///
/// The thread sleeps in a read of a timer (timerfd_create(2)). Setting an alarm is one system call and wakes no thread before the
/// alarm is due; putting an alarm off is one system call, too. A timer of libdispatch wakes one thread when it is set and two
/// when it goes off.
///
/// **Isolation:** a `Mutex` guards the alarms that are set; it is never held while an alarm goes off.
package final class AlarmThread: Sendable {
    private struct Alarm: Sendable {
        let number: UInt64
        /// Microseconds of the monotonic clock.
        let due: Int64
        let work: @Sendable () -> Void
    }

    private struct State: Sendable {
        /// Ordered by `due`, the earliest first.
        var alarms: [Alarm] = []
        var last: UInt64 = 0
    }

    /// Nil where the kernel gives no timer or no thread.
    package static let shared = AlarmThread()

    private let state = Mutex(State())
    private let timer: OwnedDescriptor

    /// Starts the thread, which runs for ever.
    private init?() {
        let raw = pictor_new_timer()
        guard raw >= 0 else { return nil }
        timer = OwnedDescriptor(adopting: raw)
        do throws(SystemError) {
            try WorkerThread("alarms", priority: .first) { [self] in run() }.detach()
        } catch {
            return nil
        }
    }

    /// Calls `work` once after that time, unless the alarm is put off. `work` must be short and must not block.
    /// - Returns: the alarm's number, for `putOff`.
    @discardableResult
    package func set(after microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64 {
        let (sum, isFar) = pictor_monotonic_microseconds().addingReportingOverflow(max(0, microseconds))
        let due = isFar ? .max : sum
        return state.withLock { state in
            state.last += 1
            // Most new alarms are due after all alarms that are set, so the search begins at the end.
            let place = (state.alarms.lastIndex { $0.due <= due } ?? -1) + 1
            // Cannot trap: `place` is 0 or the index behind an element.
            state.alarms.insert(Alarm(number: state.last, due: due, work: work), at: place)
            if place == 0 { pictor_set_timer(timer.raw, due) }
            return state.last
        }
    }

    /// Cancels an alarm. Its work may be running already.
    package func putOff(_ number: UInt64) {
        state.withLock { state in
            guard let place = state.alarms.firstIndex(where: { $0.number == number }) else { return }
            state.alarms.remove(at: place)
            if place == 0 { pictor_set_timer(timer.raw, state.alarms.first?.due ?? 0) }
        }
    }

    private func run() {
        while true {
            pictor_wait_for_timer(timer.raw)
            for alarm in takeDue() { alarm.work() }
        }
    }

    private func takeDue() -> [Alarm] {
        let now = pictor_monotonic_microseconds()
        return state.withLock { state in
            let due = Array(state.alarms.prefix { $0.due <= now })
            state.alarms.removeFirst(due.count)  // Cannot trap: `prefix` has found so many.
            if let next = state.alarms.first { pictor_set_timer(timer.raw, next.due) }
            return due
        }
    }
}
