// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// The decisions of `Admission`, without its locks and continuations: which job starts, which waits, and
/// which is refused.
///
/// Each rule is a part of its own, and this type combines them:
///
/// | part | rule |
/// | --- | --- |
/// | `WaitingJobs` | the order: the next job, and the one that goes when there are too many |
/// | `GroupPermits` | permits and starts of one group |
/// | `PermitShares` | permits of one client and of one site |
/// | `ClientTurns` | the turns of waiting clients |
/// | `ByteBudget` | the cost of all jobs at once |
/// | `LongLane` | permits of long jobs |
/// | `BoundedBypass` | the turns of expensive jobs, which are costly or long, among the others |
/// | `Backlog` | how many jobs may wait, asked before a job comes |
///
/// Higher classes go first. A waiting job has paid for its place already, mostly with a fetch, so a full
/// queue gives up the newest job; it gives up the oldest only if that has waited longer than `waitLimit`. A
/// job is in exactly one place: waiting, running, or gone. It leaves `waiting` by one action (`admit`,
/// `refuse`) or by `withdraw`, and `running` by `finish`.
struct AdmissionQueue {
    struct Running {
        let job: Job
        /// Microseconds of the monotonic clock.
        let started: Int64
    }

    private(set) var limits: AdmissionLimits
    private(set) var waiting: WaitingJobs
    private(set) var running: [UInt64: Running] = [:]
    private(set) var groups: GroupPermits
    private var shares: PermitShares
    private(set) var budget: ByteBudget
    private var lane: LongLane
    private var bypass: BoundedBypass
    private(set) var backlog: Backlog
    /// Mean microseconds that recent jobs have run.
    private(set) var meanRun = MovingMean()
    /// The time of the next alarm, in microseconds; nil for none.
    private var alarm: Int64?

    init(limits: AdmissionLimits) {
        self.limits = limits
        waiting = WaitingJobs(order: limits.order, waitLimit: limits.waitLimit)
        groups = GroupPermits(most: limits.permitsPerGroup, rate: limits.ratePerGroup)
        shares = PermitShares(permits: limits.permits)
        budget = ByteBudget(bytes: limits.budget, expensive: limits.expensive)
        lane = LongLane(permits: limits.longPermits, long: limits.long)
        bypass = BoundedBypass(most: limits.overtaking)
        backlog = Backlog(limits: limits)
    }

    // MARK: Events

    mutating func arrive(_ job: Job) -> [Action] {
        let now = job.arrived
        var job = job
        job.isExpensive = budget.isExpensive(job.cost) || lane.isLong(job.time)
        var actions = expired(now: now)
        waiting.join(job)
        actions += admissions(now: now)
        if waiting.count(of: job.group) > limits.queueLengthPerGroup {
            actions += pushedOut(ofOldest: waiting.count, in: job.group, now: now)
        }
        if waiting.count > limits.queueLength {
            actions += pushedOut(ofOldest: waiting.count, now: now)
        } else if waiting.ordinaryCount > backlog.length(now: now) {
            // Removes overdue jobs only: newcomers are refused before they come, and not after their fetch.
            actions += pushedOut(ofOldest: waiting.overdueCount(now: now), now: now)
        }
        return actions + settled(now: now)
    }

    /// - Parameter isGood: true if the work succeeded in time; nil if that is unknown.
    mutating func finish(_ number: UInt64, isGood: Bool? = nil, now: Int64) -> [Action] {
        guard let ended = running.removeValue(forKey: number) else { return [] }
        let (job, run) = (ended.job, now - ended.started)
        if let account = job.account {
            shares.giveBack(account, job.group, isGood: isGood, run: run, now: now)
        }
        groups.giveBack(job.group)
        budget.giveBack(job.cost)
        lane.giveBack(job.time, started: ended.started, now: now)
        meanRun.add(run)
        if !job.isExpensive { backlog.learn(run: run) }
        return settled(now: now)
    }

    /// Removes a waiting job whose asker has left. An admitted job stays, because its asker will finish it.
    mutating func withdraw(_ number: UInt64, now: Int64) -> [Action] {
        guard waiting.remove(number) != nil else { return [] }
        return [.dismiss(number)] + settled(now: now)
    }

    /// - Parameter client: a further client that wants the job; nil for none.
    mutating func raise(
        _ number: UInt64, to priority: Priority, for client: Asker? = nil, now: Int64
    ) -> [Action] {
        waiting.raise(number, to: priority, for: client) ? settled(now: now) : []
    }

    /// Slows a group down whose server asked for fewer requests; see `RateLimiter`.
    mutating func slowDown(_ group: String, for seconds: Int?, by client: ClientKey?, now: Int64) {
        groups.slowDown(group, for: seconds, by: client, now: now)
    }

    /// The alarm has gone off.
    mutating func expire(now: Int64) -> [Action] {
        if let alarm, alarm <= now { self.alarm = nil }
        return settled(now: now)
    }

    /// Replaces the limits. Running jobs go on even if there are more of them than permits now; the permits that they return start
    /// nothing until there is a free permit again. Waiting jobs are judged by the new limits, in the order of arrival.
    mutating func replaceLimits(with new: AdmissionLimits, now: Int64) -> [Action] {
        limits = new
        groups.replaceLimits(most: new.permitsPerGroup, rate: new.ratePerGroup)
        shares.permits = new.permits
        // Counts the running jobs anew, because the new limits may make them expensive or ordinary.
        budget = ByteBudget(bytes: new.budget, expensive: new.expensive)
        for running in running.values { budget.take(running.job.cost) }
        lane.replaceLimits(permits: new.longPermits, long: new.long, running: running.values.map(\.job.time))
        waiting.replaceRule(order: new.order, waitLimit: new.waitLimit) { [budget, lane] job in
            budget.isExpensive(job.cost) || lane.isLong(job.time)
        }
        bypass.most = new.overtaking
        backlog.limits = new
        var actions = expired(now: now) + admissions(now: now)
        for group in waiting.groups.sorted() {
            while waiting.count(of: group) > new.queueLengthPerGroup {
                actions += pushedOut(ofOldest: waiting.count, in: group, now: now)
            }
        }
        while waiting.count > new.queueLength { actions += pushedOut(ofOldest: waiting.count, now: now) }
        return actions + settled(now: now)
    }

    // MARK: Rules

    /// Ends every event: admits jobs, because the job that left may have blocked others, and sets the next alarm.
    private mutating func settled(now: Int64) -> [Action] {
        let actions = expired(now: now) + admissions(now: now)
        backlog.update(waiting: waiting.ordinaryCount, now: now)
        return actions + nextAlarm(now: now)
    }

    private mutating func admissions(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let job = next(now: now) {
            waiting.begin(job)
            running[job.number] = Running(job: job, started: now)
            if let account = job.account { shares.take(account) }
            groups.take(job.group, now: now)
            budget.take(job.cost)
            lane.take(job.time)
            bypass.admit(isExpensive: job.isExpensive, expensiveWaits: waiting.holdsExpensive)
            actions.append(.admit(job.number))
        }
        return actions
    }

    private func next(now: Int64) -> Job? {
        guard hasFreePermit else { return nil }
        for priority in Priority.allCases.reversed() {
            let expensive = waiting.next(of: priority, isExpensive: true, now: now) { held(by: $0, now: now) }
            let other = waiting.next(of: priority, isExpensive: false, now: now) { held(by: $0, now: now) }
            guard let first = bypass.isTurnOfExpensive ? expensive ?? other : other ?? expensive else {
                continue
            }
            if budget.admits(first.cost) { return first }
            // No job overtakes one that waits for budget, because a large job would never run otherwise. There are two exceptions:
            // jobs that fit the reserve, which no expensive job may use, and ordinary jobs in the order among themselves.
            guard let other, budget.fitsReserve(other.cost), budget.admits(other.cost) else { return nil }
            return other
        }
        return nil
    }

    /// The permits that the job's client and group hold; nil if anything but the budget keeps the job from starting now.
    private func held(by job: Job, now: Int64) -> WaitingJobs.Held? {
        guard lane.admits(job.time, othersWait: waiting.ordinaryCount > 0, now: now),
            groups.admits(job.group, now: now)
        else { return nil }
        guard let account = job.account else { return (0, 0) }
        let (running, free) = (groups.running(job.group), limits.permits - self.running.count)
        guard shares.admits(account, job.group, running: running, free: free, now: now) else { return nil }
        return (shares.held(by: account.client), running)
    }

    private mutating func pushedOut(ofOldest count: Int, in group: String? = nil, now: Int64) -> [Action] {
        waiting.pushOut(ofOldest: count, in: group, now: now).map { [refusal(of: $0, now: now)] } ?? []
    }

    /// Refuses the jobs that have waited too long.
    private mutating func expired(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let oldest = waiting.oldest, now - oldest.arrived >= limits.queueAge {
            actions.append(refusal(of: oldest, now: now))
            waiting.remove(oldest.number)
        }
        return actions
    }

    /// Sets an alarm for the first job that becomes too old, or the first group that may start another job.
    private mutating func nextAlarm(now: Int64) -> [Action] {
        guard let oldest = waiting.oldest else { return [] }
        var next = oldest.arrived + limits.queueAge
        if groups.mayDelay {
            for job in waiting.jobs { next = min(next, groups.nextBeginning(job.group, now: now) ?? next) }
        }
        if let alarm, alarm <= next { return [] }
        alarm = next
        return [.setAlarm(next)]
    }

    private func refusal(of job: Job, now: Int64) -> Action {
        .refuse(job.number, retryAfter: retryAfter(in: job.group, now: now))
    }
}
