// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

extension AdmissionQueue {
    /// One piece of work that needs a slot. Its number tells it from all others.
    struct Job {
        let number: UInt64
        /// Jobs of one group share `slotsPerGroup`; empty: of none.
        let group: String
        /// Bytes.
        let cost: Int
        /// Microseconds that it is expected to take.
        var time: Int64 = 0
        var priority: Priority
        /// Microseconds.
        let arrived: Int64
        /// On whose account it takes a slot. Nil: slots are not shared out among clients.
        var asker: Asker?
        /// It needs much memory or much time. The queue sets this on arrival.
        var isExpensive = false
    }

    /// A consequence of an event. Each job that waits gets one `admit`, `refuse` or `dismiss`.
    enum Action: Equatable {
        case admit(UInt64)
        /// With the seconds after which to come again.
        case refuse(UInt64, retryAfter: Int)
        /// Its asker left while it waited.
        case dismiss(UInt64)
        /// Call `expire` at this time, in microseconds. An alarm that was set for a later time may go off or not.
        case setAlarm(Int64)
    }

    /// Jobs on their way to a queue, from the one before it.
    struct Inflow {
        var travelling = 0
        /// Jobs that have not set out yet.
        var waiting = 0
        /// Microseconds from setting out to arriving.
        var time: Int64 = 0
    }
}
