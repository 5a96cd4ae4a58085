// SPDX-License-Identifier: Apache-2.0

/// Who may start now, who waits and who is refused: the decisions of `Admission`, without its locks and continuations.
///
/// Higher classes first; within a class first come first served, and newest first while the oldest has waited longer
/// than `patience`; in each class, those that are not dear before those that are, up to a number. A job is in exactly
/// one place: waiting, running, or gone. It leaves `waiting` by one action (`admit`, `refuse`) or by `withdraw`, and
/// `running` by `finish`.
struct AdmissionQueue {
    struct Job {
        let number: UInt64
        /// Jobs of one group share `slotsPerGroup`; empty: of none.
        let group: String
        /// Bytes.
        let cost: Int
        var priority: Priority
        /// Microseconds.
        let arrived: Int64
    }

    enum Action: Equatable {
        case admit(UInt64)
        /// With the seconds after which to come again.
        case refuse(UInt64, retryAfter: Int)
        /// Its asker left while it waited.
        case dismiss(UInt64)
        /// Call `expire` at this time, in microseconds. An alarm that was set for a later time may go off or not.
        case setAlarm(Int64)
    }

    private struct Running {
        let group: String
        let cost: Int
        let started: Int64
    }

    private let limits: AdmissionLimits
    /// In order of arrival. A few hundred at most, so a scan costs less than an ordered tree would.
    private var waiting: [Job] = []
    private var running: [UInt64: Running] = [:]
    private var runningByGroup: [String: Int] = [:]
    private var spent = 0
    /// Of it, by dear jobs.
    private var spentByDear = 0
    /// Jobs that went before a dear one, one after the other.
    private var overtakers = 0
    private var pace: Pace?
    /// The next alarm, in microseconds.
    private var alarm: Int64?
    /// Microseconds a job has run of late: a moving mean over about eight.
    private var meanRun: Int64 = 0

    init(limits: AdmissionLimits) {
        self.limits = limits
        pace = Pace(rate: limits.ratePerGroup)
    }

    var waitingCount: Int { waiting.count }
    func waitingCount(_ priority: Priority) -> Int { waiting.count { $0.priority == priority } }
    var runningCount: Int { running.count }

    func isFull(group: String, now: Int64) -> Bool {
        running.count >= limits.slots || runningByGroup[group, default: 0] >= limits.slotsPerGroup
            || pace?.wait(group, now: now) != nil
    }

    // MARK: Events

    mutating func arrive(_ job: Job) -> [Action] {
        var actions = expired(now: job.arrived)
        waiting.append(job)
        actions += admissions(now: job.arrived)
        if waiting.count(where: { $0.group == job.group }) > limits.queueLengthPerGroup {
            actions += displaced { $0.group == job.group }
        }
        if waiting.count > limits.queueLength { actions += displaced { _ in true } }
        return actions + settled(now: job.arrived)
    }

    mutating func finish(_ number: UInt64, now: Int64) -> [Action] {
        guard let job = running.removeValue(forKey: number) else { return [] }
        spent -= job.cost
        if isDear(job.cost) { spentByDear -= job.cost }
        let others = (runningByGroup[job.group] ?? 1) - 1
        runningByGroup[job.group] = others == 0 ? nil : others
        meanRun += (now - job.started - meanRun) / (meanRun == 0 ? 1 : 8)
        return settled(now: now)
    }

    /// The asker has left. Nothing happens to a job that was admitted: its asker will finish it.
    mutating func withdraw(_ number: UInt64, now: Int64) -> [Action] {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return [] }
        waiting.remove(at: index)
        return [.dismiss(number)] + settled(now: now)
    }

    mutating func raise(_ number: UInt64, to priority: Priority, now: Int64) -> [Action] {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return [] }
        waiting[index].priority = max(waiting[index].priority, priority)
        return settled(now: now)
    }

    /// The alarm went off.
    mutating func expire(now: Int64) -> [Action] {
        if let alarm, alarm <= now { self.alarm = nil }
        return settled(now: now)
    }

    // MARK: Rules

    /// What every event ends with: whoever goes may have been what others waited behind.
    private mutating func settled(now: Int64) -> [Action] {
        expired(now: now) + admissions(now: now) + nextAlarm(now: now)
    }

    private mutating func admissions(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let index = next(now: now) {
            let job = waiting.remove(at: index)
            running[job.number] = Running(group: job.group, cost: job.cost, started: now)
            runningByGroup[job.group, default: 0] += 1
            spent += job.cost
            pace?.begin(job.group, now: now)
            if isDear(job.cost) { spentByDear += job.cost }
            overtakers = isDear(job.cost) || !waiting.contains { isDear($0.cost) } ? 0 : overtakers + 1
            actions.append(.admit(job.number))
        }
        return actions
    }

    private func next(now: Int64) -> Int? {
        guard running.count < limits.slots else { return nil }
        for priority in Priority.allCases.reversed() {
            let (dear, other) = (
                candidate(priority, isDear: true, now: now), candidate(priority, isDear: false, now: now)
            )
            guard let first = overtakers < limits.overtaking ? other ?? dear : dear ?? other else { continue }
            if hasBudget(for: waiting[first]) { return first }
            // Nobody overtakes one that waits for budget, or a big one would never come to its turn; but for what no dear
            // job may have.
            guard let other, waiting[other].cost <= limits.dear - (spent - spentByDear) else { return nil }
            return hasBudget(for: waiting[other]) ? other : nil
        }
        return nil
    }

    private func isDear(_ cost: Int) -> Bool { cost > limits.dear }

    private func hasBudget(for job: Job) -> Bool {
        running.isEmpty
            || job.cost <= limits.budget - spent
                && (!isDear(job.cost) || job.cost <= limits.budget - limits.dear - spentByDear)
    }

    private func candidate(_ priority: Priority, isDear dear: Bool, now: Int64) -> Int? {
        let isCandidate = { (job: Job) in job.priority == priority && isDear(job.cost) == dear }
        guard let oldest = waiting.first(where: isCandidate) else { return nil }
        let mayStart = { (job: Job) in
            isCandidate(job)
                && (job.group.isEmpty || runningByGroup[job.group, default: 0] < limits.slotsPerGroup)
                && pace?.wait(job.group, now: now) == nil
        }
        return now - oldest.arrived > limits.patience
            ? waiting.lastIndex(where: mayStart) : waiting.firstIndex(where: mayStart)
    }

    /// Pushes out the oldest of the lowest class among those eligible.
    private mutating func displaced(_ isEligible: (Job) -> Bool) -> [Action] {
        guard let lowest = waiting.lazy.filter(isEligible).map(\.priority).min(),
            let index = waiting.firstIndex(where: { isEligible($0) && $0.priority == lowest })
        else { return [] }
        let job = waiting.remove(at: index)
        return [refusal(of: job)]
    }

    private mutating func expired(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let oldest = waiting.first, now - oldest.arrived >= limits.queueAge {
            actions.append(refusal(of: oldest))
            waiting.removeFirst()
        }
        return actions
    }

    /// For the first who becomes too old, or whose group may begin another.
    private mutating func nextAlarm(now: Int64) -> [Action] {
        guard let oldest = waiting.first else { return [] }
        var next = oldest.arrived + limits.queueAge
        if let pace {
            for job in waiting { next = min(next, pace.wait(job.group, now: now) ?? next) }
        }
        if let alarm, alarm <= next { return [] }
        alarm = next
        return [.setAlarm(next)]
    }

    /// With the seconds until the queue as it stands will have been worked off, 1…60.
    private func refusal(of job: Job) -> Action {
        let microseconds = Int64(waiting.count) * meanRun / Int64(max(1, limits.slots))
        var seconds = Int((microseconds + 999_999) / 1_000_000)
        if let pace { seconds = max(seconds, pace.seconds(for: waiting.count { $0.group == job.group })) }
        return .refuse(job.number, retryAfter: min(60, max(1, seconds)))
    }
}
