// SPDX-License-Identifier: Apache-2.0

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
        /// The client and site that its permit counts for; nil if permits are not shared among clients.
        var account: PermitAccount?
        /// The client whose turn it takes; nil if clients take no turns.
        var client: Asker?
        /// The clients whose turn the job took before. The job goes back to one of them if that client's turn comes earlier.
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
        /// Jobs that wait in the first queue.
        var waiting = 0
        /// Microseconds from leaving one queue to arriving at the next.
        var time: Int64 = 0
        /// The travelling jobs by client, and the waiting jobs by client; both empty where clients are not told apart.
        var travellers: [Asker: Int] = [:]
        var askers: [Asker: Int] = [:]

        /// The same inflow, with the clients of the travelling and the waiting jobs.
        func known(by travelling: [Job], _ waiting: [Job]) -> Inflow {
            var known = self
            for job in travelling { if let asker = job.asker { known.travellers[asker, default: 0] += 1 } }
            for job in waiting { if let asker = job.asker { known.askers[asker, default: 0] += 1 } }
            return known
        }

        /// The same inflow without one travelling job of this client.
        func without(_ client: Asker) -> Inflow {
            var others = self
            others.travelling -= 1
            if let count = travellers[client] { others.travellers[client] = count - 1 }
            return others
        }

        /// Takes the jobs whose clients are known out of `travelling` and `waiting`, and forgets the clients.
        /// - Parameter waiting: true if the result includes the waiting jobs.
        /// - Returns: the jobs taken out, by client.
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
    /// The client that the job counts for when the queue is too long; nil if clients are not told apart.
    var asker: Asker? { account?.client ?? client }
}
