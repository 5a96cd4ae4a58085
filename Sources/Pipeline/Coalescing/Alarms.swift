// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Alarms most of which are put off before they are due. While any are set, the clock has about one of them, and none after the
/// last one, so an alarm that is put off wakes no thread.
///
/// **Isolation:** a `Mutex`, never held while an alarm goes off.
final class Alarms: Sendable {
    /// An alarm that is set, to be put off.
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
        /// When the clock's next alarm goes off; nil for none.
        var next: Int64?
        /// The number of that alarm.
        var clock: UInt64?

        /// When the clock is to go off as well; nil if it does in time.
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

    /// Calls `work` once after that time, on any thread, unless it is put off. The work is short and must not block.
    func set(after microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> Number {
        let now = environment.ticks()
        let number = state.withLock { state in
            state.last += 1
            state.alarms.append(Alarm(number: state.last, due: now + microseconds, work: work))
            // Within the lock, so that nobody sees an alarm for which the clock is not set yet.
            if let time = state.moreTime() { state.clock = setClock(time, at: now) }
            return state.last
        }
        return Number(value: number)
    }

    /// Puts an alarm off; it may be going off meanwhile.
    func putOff(_ number: Number) {
        state.withLock { state in
            guard let index = state.alarms.firstIndex(where: { $0.number == number.value }) else { return }
            state.alarms.remove(at: index)
            guard state.alarms.isEmpty, let clock = state.clock.take() else { return }
            state.next = nil
            environment.putOff(clock)
        }
    }

    /// - Returns: the number of the clock's alarm.
    private func setClock(_ time: Int64, at now: Int64) -> UInt64 {
        environment.after(microseconds: max(0, time - now)) { self.ring(for: time) }
    }

    /// - Parameter time: when the clock was to go off. It may go off a little before, and is then set again.
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
