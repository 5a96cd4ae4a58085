// SPDX-License-Identifier: Apache-2.0

/// A watchdog over the network thread's heartbeat, which looks every `interval`.
///
///     turns ──late by `notice`──▶ stalled ──turns again──▶ turns
///                                    │
///                                    └──late by `limit`──▶ hopeless
package struct StallWatch {
    /// A change of the thread's state.
    package enum Event: Sendable, Hashable {
        /// No turn for that many microseconds: waiting fetches fail, and new ones are refused.
        case began(Int64)
        /// The thread turns again, after that many microseconds.
        case ended(Int64)
        /// No hope after that many microseconds. A thread inside C cannot be ended alone, so the process must
        /// end.
        case hopeless(Int64)
    }

    private enum State: Equatable {
        case turning
        case stalled(since: Ticks)
        case hopeless
    }

    /// The time between two looks.
    package static let interval = Duration.milliseconds(500)

    private let notice: Ticks
    /// May change at any time.
    var limit: Ticks
    private var state = State.turning
    private var lastLook: Ticks

    init(notice: Ticks, limit: Ticks, at now: Ticks) {
        self.notice = notice
        self.limit = limit
        lastLook = now
    }

    var isStalled: Bool { state != .turning }

    /// The change since the last look; nil if there is none.
    mutating func look(lateness: Ticks, at now: Ticks) -> Event? {
        let gap = now - lastLook
        lastLook = now
        switch state {
        case .turning:
            // A late look means that the machine or the whole process stood still (SIGSTOP, a frozen cgroup,
            // a migrated virtual machine), and the thread may not have had its turn yet.
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
