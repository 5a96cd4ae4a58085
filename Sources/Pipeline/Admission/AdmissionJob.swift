// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

extension AdmissionQueue {
    /// A piece of work that needs a permit, identified by its number.
    struct Job {
        let number: UInt64
        /// Jobs of one group share `permitsPerGroup`; an empty name belongs to no group.
        let group: String
        /// Bytes.
        let cost: Int
        /// Microseconds that it will probably take.
        var time: Int64 = 0
        var priority: Priority
        /// Microseconds of the monotonic clock.
        let arrived: Int64
        /// The account of its permit; nil if permits are not shared among clients.
        var account: PermitAccount?
        /// The client whose turn it takes; nil if clients take no turns.
        var client: Asker?
        /// The clients whose turn it took before. It takes the turn of one of them again where that comes earlier.
        var formerClients: [Asker] = []
        /// True if it needs much memory or much time. The queue sets this on arrival.
        var isExpensive = false
    }

    /// A consequence of an event. Each waiting job gets one `admit`, `refuse` or `dismiss`.
    enum Action: Equatable {
        case admit(UInt64)
        /// `retryAfter` in seconds.
        case refuse(UInt64, retryAfter: Int)
        /// The job's asker left while the job waited.
        case dismiss(UInt64)
        /// Call `expire` at this time, in microseconds. An alarm set for a later time may still go off.
        case setAlarm(Int64)
    }

    /// Jobs on their way from one queue to the next.
    struct Inflow {
        var travelling = 0
        /// Jobs that have not left the first queue yet.
        var waiting = 0
        /// Microseconds from leaving one queue to arriving at the next.
        var time: Int64 = 0
        /// The jobs that travel, and those that wait, counted by client; empty where clients are not told apart.
        var travellers: [Asker: Int] = [:]
        var askers: [Asker: Int] = [:]

        /// With the clients of the jobs that travel and of those that wait.
        func known(by travelling: [Job], _ waiting: [Job]) -> Inflow {
            var known = self
            for job in travelling { if let asker = job.asker { known.travellers[asker, default: 0] += 1 } }
            for job in waiting { if let asker = job.asker { known.askers[asker, default: 0] += 1 } }
            return known
        }

        /// Without one that travels.
        func without(_ client: Asker) -> Inflow {
            var others = self
            others.travelling -= 1
            if let count = travellers[client] { others.travellers[client] = count - 1 }
            return others
        }

        /// Takes those out whose clients are known.
        /// - Parameter waiting: true if those that wait are meant as well.
        /// - Returns: their number by client.
        mutating func takeKnown(waiting isMeant: Bool) -> [Asker: Int] {
            let known = isMeant ? travellers.merging(askers, uniquingKeysWith: +) : travellers
            travelling -= travellers.values.reduce(0, +)
            waiting -= askers.values.reduce(0, +)
            (travellers, askers) = ([:], [:])
            return known
        }
    }
}

extension AdmissionQueue.Job {
    /// The client that it is counted for where too many wait; nil if clients are not told apart.
    var asker: Asker? { account?.client ?? client }
}
