// SPDX-License-Identifier: Apache-2.0

/// What is asked without changing anything: before a job comes, and for the numbers.
extension AdmissionQueue {
    var hasFreePermit: Bool { running.count < limits.permits }

    var waitingCount: Int { waiting.count }
    func waitingCount(_ priority: Priority) -> Int { waiting.count(priority) }
    var runningCount: Int { running.count }
    /// Bytes of the running jobs' prices, and the most that they may be together.
    var spending: (spent: Int, of: Int) { (budget.spent, budget.bytes) }
    func slowedCount(now: Int64) -> Int { groups.slowedCount(now: now) }

    /// True if a new job of the group would have to wait.
    func isFull(group: String, now: Int64) -> Bool { !hasFreePermit || groups.isFull(group, now: now) }

    /// The running and waiting jobs, which will go from here to another queue.
    var inflow: Inflow { Inflow(travelling: running.count, waiting: waiting.count, time: meanRun.value) }
    /// The same jobs, counted by client as well.
    var inflowByClient: Inflow { inflow.known(by: running.values.map(\.job), waiting.jobs) }

    /// True if there is room for one more job behind all ordinary jobs that wait and those on their way here.
    ///
    /// Expensive jobs do not count, because the newcomer's cost is unknown: if it is ordinary, it overtakes
    /// them.
    func hasRoom(behind inflow: Inflow, now: Int64) -> Bool {
        hasRoom(behind: waiting.ordinaryCount, inflow, now: now)
    }

    /// Jobs on their way count only if a job waits here; otherwise a newcomer finds a free permit, or is the first to wait.
    private func hasRoom(behind ahead: Int, _ inflow: Inflow, now: Int64) -> Bool {
        guard waiting.ordinaryCount == 0 else { return backlog.hasRoom(behind: ahead, inflow, now: now) }
        return hasFreePermit || limits.queueLength > 0
    }

    /// The seconds after which a job that would be refused now may retry; nil if the job may come, even if another job must give way
    /// to it.
    /// - Parameter client: the job's client; nil if clients are not told apart.
    func refusal(of priority: Priority, by client: Asker? = nil, behind inflow: Inflow, now: Int64)
        -> Int?
    {
        // In a full queue, the client with the most jobs gives way to one with fewer.
        if let client, waiting.count >= limits.queueLength, waiting.givesWay(to: client, priority) {
            return nil
        }
        var inflow = inflow
        var coming: [Asker: Int] = [:]
        if client != nil { coming = inflow.takeKnown(waiting: backlog.isStanding(now: now)) }
        let ahead = waiting.ordinaryCount(before: priority, by: client, with: coming, now: now)
        return hasRoom(behind: ahead, inflow, now: now) ? nil : retryAfter(now: now)
    }

    /// Jobs that wait only because other jobs hold the permits, while their own host holds few. Slow transfers are ended to make room
    /// for them.
    var shortage: Int {
        let few = max(1, min(limits.permitsPerGroup, limits.permits) / 2)
        return waiting.jobs.count { job in
            job.account != nil && job.priority > .refresh && groups.running(job.group) < few
        }
    }

    /// Seconds until the present queue will be worked off, 1…60.
    func retryAfter(in group: String? = nil, now: Int64) -> Int {
        let microseconds = Int64(waiting.count) * meanRun.value / Int64(max(1, limits.permits))
        var seconds = microseconds.secondsAhead
        if let group {
            seconds = max(seconds, groups.seconds(for: waiting.count(of: group), of: group, now: now))
        }
        return min(60, max(1, seconds))
    }
}
