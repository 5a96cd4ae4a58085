// SPDX-License-Identifier: Apache-2.0

/// A watchdog that checks the network thread's heartbeat every `interval`.
///
///     turns ──late by `notice`──▶ stalled ──turns again──▶ turns
///                                    │
///                                    └──late by `limit`──▶ hopeless
package struct StallWatch {
    /// A change of the thread's state.
    package enum Event: Sendable, Hashable {
        /// The thread has made no turn for that many microseconds: waiting fetches fail, and new ones are refused.
        case began(Int64)
        /// The thread makes turns again, after that many microseconds.
        case ended(Int64)
        /// The thread has been stalled for that many microseconds and is given up. A thread inside a C library cannot be ended
        /// alone, so the process must end.
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
    /// The lateness at which the thread is given up; may be changed at any time.
    var limit: Ticks
    /// True once the daemon stops: the stop waits for the thread for a bounded time only, so there is no `hopeless` any more.
    var isStopping = false
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
            // If this look itself is late, the machine or the whole process was stopped (SIGSTOP, a frozen cgroup, a migrated
            // virtual machine), and the thread may not have had its turn yet.
            guard lateness >= notice, gap < notice else { return nil }
            state = .stalled(since: now - lateness)
            return .began(lateness)
        case .stalled(let since):
            if lateness < now - since {
                state = .turning
                return .ended(now - since - lateness)
            }
            guard !isStopping, lateness >= limit, gap < notice else { return nil }
            state = .hopeless
            return .hopeless(lateness)
        case .hopeless:
            return nil
        }
    }
}
