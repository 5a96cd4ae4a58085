// SPDX-License-Identifier: Apache-2.0

/// Who may start now, who waits and who is refused: the decisions of `Admission`, without its locks and continuations.
///
/// Higher classes first; within a class first come first served, and newest first while the oldest has waited longer
/// than `patience`. Where there is no room, one of the lowest class goes, and in it the newest: those who wait have paid
/// for their place already, with a fetch mostly. Only who has waited longer than `patience` goes first. A job is in exactly one place: waiting, running, or gone. It leaves `waiting` by one action
/// (`admit`, `refuse`) or by `withdraw`, and `running` by `finish`.
struct AdmissionQueue {
    /// Those on their way to a queue.
    struct Inflow {
        var travelling = 0
        /// They have not set out yet.
        var waiting = 0
        /// Microseconds from setting out to arriving.
        var time: Int64 = 0
    }

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
        /// Call `expire` at this time, in microseconds. There is one alarm at most.
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
    private var hasAlarm = false
    /// Microseconds a job has run of late: a moving mean over about eight.
    private var meanRun: Int64 = 0
    /// Since when there has always been somebody waiting.
    private var backlogSince: Int64?

    init(limits: AdmissionLimits) { self.limits = limits }

    var waitingCount: Int { waiting.count }
    var runningCount: Int { running.count }

    func isFull(group: String) -> Bool {
        running.count >= limits.slots || runningByGroup[group, default: 0] >= limits.slotsPerGroup
    }

    /// Of those who go from here to another queue.
    var inflow: Inflow { Inflow(travelling: running.count, waiting: waiting.count, time: meanRun) }

    /// Whether there is room for one more behind those who wait and those who are on their way here.
    func hasRoom(behind inflow: Inflow, now: Int64) -> Bool {
        load(ahead: waiting.count, inflow, now: now) < length(now: now)
    }

    /// What somebody who is not here yet would be told: that it need not come, and when to try again. Nil: it may come, as
    /// one more or in the place of one who gives way.
    func refusal(of priority: Priority, behind inflow: Inflow, now: Int64) -> Int? {
        let staying = waiting.count { job in
            job.priority > priority || job.priority == priority && !isOverdue(job, now: now)
        }
        return load(ahead: staying, inflow, now: now) < length(now: now) ? nil : retryAfter
    }

    /// Jobs that will be waiting when somebody arrives who sets out now; less than none where there are slots.
    ///
    /// A slow origin may keep many on the way: they count only behind somebody who waits, and those who have not set out yet
    /// only in a queue that stands. So no slot stays free for their sake.
    private func load(ahead: Int, _ inflow: Inflow, now: Int64) -> Int {
        guard !waiting.isEmpty else { return running.count < limits.slots ? -1 : 0 }
        let served = meanRun == 0 ? 0 : Int(inflow.time / meanRun) * limits.slots
        return ahead + inflow.travelling + (stands(now: now) ? inflow.waiting : 0) - served
    }

    // MARK: Events

    mutating func arrive(_ job: Job) -> [Action] {
        var actions = expired(now: job.arrived)
        waiting.append(job)
        actions += admissions(now: job.arrived)
        if waiting.count(where: { $0.group == job.group }) > limits.queueLengthPerGroup {
            actions += displaced(now: job.arrived, among: waiting.count) { $0.group == job.group }
        }
        if waiting.count > limits.queueLength {
            actions += displaced(now: job.arrived, among: waiting.count)
        } else if waiting.count > length(now: job.arrived) {
            // Nobody else: what it would have been told before it came, it is not told now that it has cost a fetch.
            let overdue = waiting.prefix { isOverdue($0, now: job.arrived) }.count
            actions += displaced(now: job.arrived, among: overdue)
        }
        return actions + settled(now: job.arrived)
    }

    mutating func finish(_ number: UInt64, now: Int64) -> [Action] {
        guard let job = running.removeValue(forKey: number) else { return [] }
        spent -= job.cost
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
        hasAlarm = false
        return settled(now: now)
    }

    // MARK: Rules

    /// What every event ends with: whoever goes may have been what others waited behind.
    private mutating func settled(now: Int64) -> [Action] {
        let actions = expired(now: now) + admissions(now: now)
        backlogSince = waiting.isEmpty ? nil : backlogSince ?? now
        return actions + alarm()
    }

    /// It is not a bump but a state.
    private func stands(now: Int64) -> Bool { backlogSince.map { now - $0 > limits.patience } ?? false }

    /// Jobs that may wait, as far as it is for those to say who have not come yet.
    private func length(now: Int64) -> Int {
        guard stands(now: now), meanRun > 0 else { return limits.queueLength }
        let jobs = Int(limits.standingWork / meanRun).multipliedReportingOverflow(by: limits.slots)
        return min(limits.queueLength, max(limits.slots, jobs.overflow ? .max : jobs.partialValue))
    }

    private func isOverdue(_ job: Job, now: Int64) -> Bool { now - job.arrived > limits.patience }

    private mutating func admissions(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let index = next(now: now) {
            let job = waiting.remove(at: index)
            running[job.number] = Running(group: job.group, cost: job.cost, started: now)
            runningByGroup[job.group, default: 0] += 1
            spent += job.cost
            actions.append(.admit(job.number))
        }
        return actions
    }

    private func next(now: Int64) -> Int? {
        guard running.count < limits.slots else { return nil }
        for priority in Priority.allCases.reversed() {
            guard let index = candidate(priority, now: now) else { continue }
            // No smaller job overtakes one that waits for budget, or the big one would never come to its turn.
            return running.isEmpty || waiting[index].cost <= limits.budget - spent ? index : nil
        }
        return nil
    }

    private func candidate(_ priority: Priority, now: Int64) -> Int? {
        guard let oldest = waiting.first(where: { $0.priority == priority }) else { return nil }
        let mayStart = { (job: Job) in
            job.priority == priority
                && (job.group.isEmpty || runningByGroup[job.group, default: 0] < limits.slotsPerGroup)
        }
        return isOverdue(oldest, now: now)
            ? waiting.lastIndex(where: mayStart) : waiting.firstIndex(where: mayStart)
    }

    /// Pushes out one of the lowest class, of the so many oldest as far as they are eligible: the oldest where that is
    /// overdue, else the newest.
    private mutating func displaced(
        now: Int64, among count: Int, where isEligible: (Job) -> Bool = { _ in true }
    ) -> [Action] {
        let eligible = waiting.prefix(count)
        guard let lowest = eligible.lazy.filter(isEligible).map(\.priority).min(),
            let oldest = eligible.firstIndex(where: { isEligible($0) && $0.priority == lowest }),
            let newest = eligible.lastIndex(where: { isEligible($0) && $0.priority == lowest })
        else { return [] }
        let index = isOverdue(waiting[oldest], now: now) ? oldest : newest
        return [.refuse(waiting.remove(at: index).number, retryAfter: retryAfter)]
    }

    private mutating func expired(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let oldest = waiting.first, now - oldest.arrived >= limits.queueAge {
            actions.append(.refuse(oldest.number, retryAfter: retryAfter))
            waiting.removeFirst()
        }
        return actions
    }

    private mutating func alarm() -> [Action] {
        guard !hasAlarm, let oldest = waiting.first else { return [] }
        hasAlarm = true
        return [.setAlarm(oldest.arrived + limits.queueAge)]
    }

    /// Seconds until the queue as it stands will have been worked off, 1…60.
    private var retryAfter: Int {
        let microseconds = Int64(waiting.count) * meanRun / Int64(max(1, limits.slots))
        return Int(min(60, max(1, (microseconds + 999_999) / 1_000_000)))
    }
}
