// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Who may start now, who waits and who is refused: the decisions of `Admission`, without its locks and continuations.
///
/// Higher classes first; within a class first come first served, and newest first while the oldest has waited longer
/// than `patience`; in each class, those that are not dear before those that are, up to a number. Where there is no room,
/// one of the lowest class goes, a dear one before others, and the newest: those who wait have paid for their place
/// already, with a fetch mostly. Only who has waited longer than `patience` goes first. A job is in exactly one place:
/// waiting, running, or gone. It leaves `waiting` by one action (`admit`, `refuse`) or by `withdraw`, and `running` by
/// `finish`.
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
        /// Microseconds that it is expected to take.
        var time: Int64 = 0
        var priority: Priority
        /// Microseconds.
        let arrived: Int64
        /// Nil: whoever it is, what it takes is not shared out.
        var asker: Asker?
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
        let isLong: Bool
        let isDear: Bool
        let started: Int64
        let asker: Asker?
    }

    private let limits: AdmissionLimits
    /// In order of arrival. A few hundred at most, so a scan costs less than an ordered tree would.
    private var waiting: [Job] = []
    private var running: [UInt64: Running] = [:]
    private var runningByGroup: [String: Int] = [:]
    private var spent = 0
    /// Of it, by dear jobs.
    private var spentByDear = 0
    private var runningLong = 0
    /// When the next long job may begin although others wait, in microseconds.
    private var longMayBegin: Int64 = 0
    /// Jobs that went before a dear one, one after the other.
    private var overtakers = 0
    private var pace: Pace
    private var shares: SlotShares
    /// The next alarm, in microseconds.
    private var alarm: Int64?
    /// Microseconds a job has run of late.
    private var meanRun = MovingMean()
    /// The same of those that were not dear.
    private var meanOrdinaryRun = MovingMean()
    /// Since when there has always been somebody waiting whose job is not dear.
    private var backlogSince: Int64?

    /// Microseconds in which a host answers that is worth a reserve.
    private static let quick: Int64 = 2_000_000

    init(limits: AdmissionLimits) {
        self.limits = limits
        pace = Pace(rate: limits.ratePerGroup)
        shares = SlotShares(slots: limits.slots)
    }

    var waitingCount: Int { waiting.count }
    func waitingCount(_ priority: Priority) -> Int { waiting.count { $0.priority == priority } }
    var runningCount: Int { running.count }

    func isFull(group: String, now: Int64) -> Bool {
        running.count >= limits.slots || runningByGroup[group, default: 0] >= limits.slotsPerGroup
            || pace.wait(group, now: now) != nil
    }

    /// Of those who go from here to another queue.
    var inflow: Inflow { Inflow(travelling: running.count, waiting: waiting.count, time: meanRun.value) }

    /// Whether there is room for one more behind those who wait and those who are on their way here.
    func hasRoom(behind inflow: Inflow, now: Int64) -> Bool {
        load(ahead: ordinaryWaiting, inflow, now: now) < length(now: now)
    }

    /// Dear jobs are not counted among those in front of somebody whose cost nobody knows yet: if it is not dear, it goes
    /// before them.
    private var ordinaryWaiting: Int { waiting.count { !isDear($0) } }

    /// What somebody who is not here yet would be told: that it need not come, and when to try again. Nil: it may come, as
    /// one more or in the place of one who gives way.
    /// - Parameter client: who it is; nil: of no account.
    func refusal(of priority: Priority, by client: ClientKey?? = nil, behind inflow: Inflow, now: Int64)
        -> Int?
    {
        // In a full queue the client who has most waiting gives way to one who has less.
        if let client, waiting.count >= limits.queueLength, givesWay(to: client, priority) { return nil }
        let staying = waiting.count { job in
            !isDear(job)
                && (job.priority > priority || job.priority == priority && !isOverdue(job, now: now))
        }
        return load(ahead: staying, inflow, now: now) < length(now: now) ? nil : retryAfter(now: now)
    }

    /// Jobs that will be waiting when somebody arrives who sets out now; less than none where there are slots.
    ///
    /// A slow origin may keep many on the way: they count only behind somebody who waits, and those who have not set out yet
    /// only in a queue that stands. So no slot stays free for their sake.
    private func load(ahead: Int, _ inflow: Inflow, now: Int64) -> Int {
        guard ordinaryWaiting > 0 else { return running.count < limits.slots ? -1 : 0 }
        let run = meanOrdinaryRun.value
        let served = run == 0 ? 0 : Int(inflow.time / run) * limits.slots
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
        } else if ordinaryWaiting > length(now: job.arrived) {
            // Nobody else: what it would have been told before it came, it is not told now that it has cost a fetch.
            let overdue = waiting.prefix { isOverdue($0, now: job.arrived) }.count
            actions += displaced(now: job.arrived, among: overdue)
        }
        return actions + settled(now: job.arrived)
    }

    /// - Parameter isGood: what it was for came well and in time; nil: nobody knows.
    mutating func finish(_ number: UInt64, isGood: Bool? = nil, now: Int64) -> [Action] {
        guard let job = running.removeValue(forKey: number) else { return [] }
        if let asker = job.asker {
            let isQuick = isGood.map { $0 && now - job.started <= Self.quick }
            shares.giveBack(asker, job.group, isGood: isQuick, now: now)
        }
        spent -= job.cost
        if isCostly(job.cost) { spentByDear -= job.cost }
        if job.isLong {
            runningLong -= 1
            longMayBegin = now + (now - job.started)
        }
        let others = (runningByGroup[job.group] ?? 1) - 1
        runningByGroup[job.group] = others == 0 ? nil : others
        meanRun.add(now - job.started)
        if !job.isDear { meanOrdinaryRun.add(now - job.started) }
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

    /// The group wants to be asked less often; see `Pace`.
    mutating func slowDown(_ group: String, for seconds: Int?, by client: ClientKey?, now: Int64) {
        pace.slowDown(group, for: seconds, by: client, now: now)
    }

    func slowedCount(now: Int64) -> Int { pace.slowedCount(now: now) }

    /// The alarm went off.
    mutating func expire(now: Int64) -> [Action] {
        if let alarm, alarm <= now { self.alarm = nil }
        return settled(now: now)
    }

    // MARK: Rules

    /// What every event ends with: whoever goes may have been what others waited behind.
    private mutating func settled(now: Int64) -> [Action] {
        let actions = expired(now: now) + admissions(now: now)
        backlogSince = ordinaryWaiting == 0 ? nil : backlogSince ?? now
        return actions + nextAlarm(now: now)
    }

    /// It is not a bump but a state.
    private func stands(now: Int64) -> Bool { backlogSince.map { now - $0 > limits.patience } ?? false }

    /// Jobs that may wait, as far as it is for those to say who have not come yet.
    private func length(now: Int64) -> Int {
        let run = meanOrdinaryRun.value
        guard stands(now: now), run > 0 else { return limits.queueLength }
        let jobs = Int(limits.standingWork / run).multipliedReportingOverflow(by: limits.slots)
        return min(limits.queueLength, max(limits.slots, jobs.overflow ? .max : jobs.partialValue))
    }

    private func isOverdue(_ job: Job, now: Int64) -> Bool { now - job.arrived > limits.patience }

    private mutating func admissions(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let index = next(now: now) {
            let job = waiting.remove(at: index)
            running[job.number] = Running(
                group: job.group, cost: job.cost, isLong: isLong(job), isDear: isDear(job), started: now,
                asker: job.asker)
            if let asker = job.asker { shares.take(asker) }
            runningByGroup[job.group, default: 0] += 1
            spent += job.cost
            pace.begin(job.group, now: now)
            if isCostly(job.cost) { spentByDear += job.cost }
            if isLong(job) { runningLong += 1 }
            overtakers = isDear(job) || !waiting.contains(where: isDear) ? 0 : overtakers + 1
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

    private func isDear(_ job: Job) -> Bool { isCostly(job.cost) || isLong(job) }

    /// It needs much memory.
    private func isCostly(_ cost: Int) -> Bool { cost > limits.dear }

    /// It needs much time.
    private func isLong(_ job: Job) -> Bool { job.time > limits.long }

    private func hasLane(for job: Job, now: Int64) -> Bool {
        !isLong(job)
            || runningLong < limits.longSlots && (now >= longMayBegin || ordinaryWaiting == 0)
    }

    private func hasBudget(for job: Job) -> Bool {
        running.isEmpty
            || job.cost <= limits.budget - spent
                && (!isCostly(job.cost) || job.cost <= limits.budget - limits.dear - spentByDear)
    }

    private func candidate(_ priority: Priority, isDear dear: Bool, now: Int64) -> Int? {
        let isCandidate = { (job: Job) in job.priority == priority && isDear(job) == dear }
        guard let oldest = waiting.first(where: isCandidate) else { return nil }
        let eligible = waiting.indices.filter { isCandidate(waiting[$0]) && mayStart(waiting[$0], now: now) }
        let isNewestFirst = isOverdue(oldest, now: now)
        // Who holds fewest comes first: behind one who asks for much, nobody waits who asks for little.
        return eligible.min { a, b in
            let (first, second) = (held(by: waiting[a]), held(by: waiting[b]))
            return first == second ? isNewestFirst && a > b : first < second
        }
    }

    private func held(by job: Job) -> (client: Int, group: Int) {
        guard let asker = job.asker else { return (0, 0) }
        return (shares.held(by: asker.client), runningByGroup[job.group] ?? 0)
    }

    private func mayStart(_ job: Job, now: Int64) -> Bool {
        let running = runningByGroup[job.group] ?? 0
        guard hasLane(for: job, now: now), job.group.isEmpty || running < limits.slotsPerGroup,
            pace.wait(job.group, now: now) == nil
        else { return false }
        guard let asker = job.asker else { return true }
        return shares.admits(
            asker, job.group, running: running, free: limits.slots - self.running.count, now: now)
    }

    /// Of those who wait, those whom nothing keeps waiting but that others hold the slots, and whose own host holds few: for
    /// them, who is slow gives way.
    var shortage: Int {
        waiting.count { job in
            job.asker != nil && job.priority > .refresh
                && (runningByGroup[job.group] ?? 0) < max(1, min(limits.slotsPerGroup, limits.slots) / 2)
        }
    }

    /// Pushes out one of the lowest class, of the so many oldest as far as they are eligible, and a dear one where there is
    /// one: the oldest where that is overdue, else the newest.
    private mutating func displaced(
        now: Int64, among count: Int, where isEligible: (Job) -> Bool = { _ in true }
    ) -> [Action] {
        let eligible = waiting.prefix(count).indices.filter { isEligible(waiting[$0]) }
        guard let lowest = eligible.map({ waiting[$0].priority }).min() else { return [] }
        let candidates = eligible.filter { waiting[$0].priority == lowest }
        let dear = candidates.filter { isDear(waiting[$0]) }
        let chosen = ofHeaviest(dear.isEmpty ? candidates : dear)
        guard let oldest = chosen.first, let newest = chosen.last else { return [] }
        let index = isOverdue(waiting[oldest], now: now) ? oldest : newest
        let job = waiting.remove(at: index)
        return [refusal(of: job, now: now)]
    }

    /// Somebody of no higher class, other than that client, who has more waiting than it.
    private func givesWay(to client: ClientKey?, _ priority: Priority) -> Bool {
        var counts: [ClientKey?: Int] = [:]
        for job in waiting where job.priority <= priority {
            if let asker = job.asker { counts[asker.client, default: 0] += 1 }
        }
        return (counts.values.max() ?? 0) > counts[client, default: 0] + 1
    }

    /// Of these, those of the client who has most.
    private func ofHeaviest(_ indices: [Int]) -> [Int] {
        var counts: [ClientKey?: Int] = [:]
        for index in indices {
            guard let asker = waiting[index].asker else { return indices }
            counts[asker.client, default: 0] += 1
        }
        guard counts.count > 1, let most = counts.values.max() else { return indices }
        return indices.filter { counts[waiting[$0].asker?.client] == most }
    }

    private mutating func expired(now: Int64) -> [Action] {
        var actions: [Action] = []
        while let oldest = waiting.first, now - oldest.arrived >= limits.queueAge {
            actions.append(refusal(of: oldest, now: now))
            // Cannot trap: there is a first.
            waiting.removeFirst()
        }
        return actions
    }

    /// For the first who becomes too old, or whose group may begin another.
    private mutating func nextAlarm(now: Int64) -> [Action] {
        guard let oldest = waiting.first else { return [] }
        var next = oldest.arrived + limits.queueAge
        for job in waiting { next = min(next, pace.wait(job.group, now: now) ?? next) }
        if let alarm, alarm <= next { return [] }
        alarm = next
        return [.setAlarm(next)]
    }

    private func refusal(of job: Job, now: Int64) -> Action {
        .refuse(job.number, retryAfter: retryAfter(in: job.group, now: now))
    }

    /// Seconds until the queue as it stands will have been worked off, 1…60.
    private func retryAfter(in group: String? = nil, now: Int64) -> Int {
        let microseconds = Int64(waiting.count) * meanRun.value / Int64(max(1, limits.slots))
        var seconds = Int((microseconds + 999_999) / 1_000_000)
        if let group {
            let count = waiting.count { $0.group == group }
            seconds = max(seconds, pace.seconds(for: count, of: group, now: now))
        }
        return min(60, max(1, seconds))
    }
}
