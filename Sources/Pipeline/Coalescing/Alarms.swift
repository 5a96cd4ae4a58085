// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Alarms that are mostly cancelled before they are due, such as timeouts. The environment's clock holds about one alarm for all of
/// them, and none once the last one is gone, so a cancelled alarm wakes no thread.
///
/// **Isolation:** a `Mutex`, never held while an alarm goes off.
final class Alarms: Sendable {
    /// Identifies an alarm that is set, for `putOff`.
    struct Number: Sendable {
        fileprivate let value: UInt64
    }

    private struct Alarm: Sendable {
        let number: UInt64
        /// Microseconds of the monotonic clock.
        let due: Int64
        let work: @Sendable () -> Void
    }

    private struct State {
        var alarms: [Alarm] = []
        var last: UInt64 = 0
        /// When the next alarm of the environment's clock goes off; nil for none.
        var next: Int64?
        /// The number of that alarm in the environment's clock.
        var clock: UInt64?

        /// The time for which the environment's clock needs another alarm; nil if its next alarm is early enough.
        mutating func moreTime() -> Int64? {
            guard let due = alarms.lazy.map(\.due).min(), next.map({ due < $0 }) ?? true else { return nil }
            next = due
            return due
        }
    }

    private let state = Mutex(State())
    private let environment: any Environment

    init(_ environment: any Environment) { self.environment = environment }

    /// Alarms that are set.
    var count: Int { state.withLock { $0.alarms.count } }

    /// Calls `work` once after this time, on any thread, unless `putOff` cancels it. The work must be short and must not block.
    func set(after microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Number {
        let now = environment.ticks()
        let number = state.withLock { state in
            state.last += 1
            state.alarms.append(Alarm(number: state.last, due: now + microseconds, work: work))
            // Within the lock, so that no other thread sees an alarm before the environment's clock is set for it.
            if let time = state.moreTime() { state.clock = setClock(time, at: now) }
            return state.last
        }
        return Number(value: number)
    }

    /// Cancels an alarm; its work may be running already.
    func putOff(_ number: Number) {
        state.withLock { state in
            guard let index = state.alarms.firstIndex(where: { $0.number == number.value }) else { return }
            state.alarms.remove(at: index)
            guard state.alarms.isEmpty, let clock = state.clock.take() else { return }
            state.next = nil
            environment.putOff(clock)
        }
    }

    /// - Returns: the number of the environment's alarm.
    private func setClock(_ time: Int64, at now: Int64) -> UInt64 {
        environment.after(microseconds: max(0, time - now)) { self.ring(for: time) }
    }

    /// - Parameter time: when the environment's alarm is due. It may go off a little early, and is then set again.
    private func ring(for time: Int64) {
        let now = environment.ticks()
        let due = state.withLock { state in
            if state.next == time { (state.next, state.clock) = (nil, nil) }
            let due = state.alarms.filter { $0.due <= now }
            if !due.isEmpty { state.alarms.removeAll { $0.due <= now } }
            if let more = state.moreTime() { state.clock = setClock(more, at: now) }
            return due
        }
        for alarm in due { alarm.work() }
    }
}
