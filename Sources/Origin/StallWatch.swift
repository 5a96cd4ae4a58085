// SPDX-License-Identifier: Apache-2.0

/// What to make of the network thread's pulse, looked at every `interval`.
///
///     turns ──late by `notice`──▶ stalled ──turns again──▶ turns
///                                    │
///                                    └──late by `limit`──▶ hopeless
package struct StallWatch {
    package enum Event: Sendable, Hashable {
        /// No turn for so many microseconds: whoever waits is told so, and nobody new begins to wait.
        case began(Int64)
        /// It turns again, after so many.
        case ended(Int64)
        /// It is not to be hoped for, after so many: a thread inside C cannot be ended by itself, so the
        /// process is.
        case hopeless(Int64)
    }

    private enum State: Equatable {
        case turning
        case stalled(since: Ticks)
        case hopeless
    }

    /// Between two looks.
    package static let interval = Duration.milliseconds(500)

    private let notice: Ticks
    private let limit: Ticks
    private var state = State.turning
    private var lastLook: Ticks

    init(notice: Ticks, limit: Ticks, at now: Ticks) {
        self.notice = notice
        self.limit = limit
        lastLook = now
    }

    var isStalled: Bool { state != .turning }

    /// Nil: nothing new.
    mutating func look(lateness: Ticks, at now: Ticks) -> Event? {
        let gap = now - lastLook
        lastLook = now
        switch state {
        case .turning:
            // Who looks was held up as well: the machine or the whole process stood still (SIGSTOP, a frozen
            // cgroup, a virtual machine that was moved), and the thread may not have had its turn yet.
            guard lateness >= notice, gap < notice else { return nil }
            state = .stalled(since: now - lateness)
            return .began(lateness)
        case .stalled(let since):
            if lateness < now - since {
                state = .turning
                return .ended(now - since - lateness)
            }
            guard lateness >= limit, gap < notice else { return nil }
            state = .hopeless
            return .hopeless(lateness)
        case .hopeless:
            return nil
        }
    }
}
