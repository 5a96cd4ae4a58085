// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// The waiting jobs in order of arrival: selects the next job, and the one to refuse if there are too many.
///
/// - **The order** within a class is a `WaitingOrder`.
/// - **Turns of clients** come before both other rules where clients take turns (`ClientTurns`), as for decoders.
/// - **Least held first**, as in fair queueing: the next job is the one whose client, and then whose group, holds the fewest permits,
///   so that a modest client does not wait behind a greedy one. The order decides among equals.
/// - **Longest queue drop** (Suter and others, 1998): if too many wait, the client with the most jobs
///   loses one.
///
/// A few hundred jobs wait at most, so a scan costs less than an ordered tree.
struct WaitingJobs {
    typealias Job = AdmissionQueue.Job
    /// Permits that a job's client and its group hold.
    typealias Held = (client: Int, group: Int)

    private(set) var jobs: [Job] = []
    /// Jobs that are not expensive.
    private(set) var ordinaryCount = 0
    private var turns = ClientTurns()
    private var order: WaitingOrder
    private var waitLimit: Int64

    /// Microseconds that any job takes, whatever its picture. Estimates below this say nothing about which job is shorter.
    private static let leastTime: Int64 = 5_000
    /// The ratio of wait to time above which an overdue job comes last.
    private static let patience = 10.0

    /// - Parameter waitLimit: microseconds.
    init(order: WaitingOrder = .arrival, waitLimit: Int64) {
        (self.order, self.waitLimit) = (order, waitLimit)
    }

    var count: Int { jobs.count }
    var oldest: Job? { jobs.first }
    var holdsExpensive: Bool { ordinaryCount < jobs.count }

    func count(_ priority: Priority) -> Int { jobs.count { $0.priority == priority } }
    func count(of group: String) -> Int { jobs.count { $0.group == group } }
    /// The groups that have waiting jobs.
    var groups: Set<String> { Set(jobs.map(\.group)) }

    /// The number of jobs that have waited longer than `waitLimit`, counted from the oldest.
    func overdueCount(now: Int64) -> Int { jobs.prefix { isOverdue($0, now: now) }.count }

    /// Ordinary jobs that stay ahead of a newcomer of this class. Overdue jobs of its own class give way to it.
    /// - Parameters:
    ///   - client: the newcomer's client; nil if clients are not told apart.
    ///   - coming: jobs on their way here by client, which take turns with the waiting jobs.
    func ordinaryCount(
        before priority: Priority, by client: Asker? = nil, with coming: [Asker: Int] = [:],
        now: Int64
    ) -> Int {
        var (count, waiting) = (0, coming)
        for job in jobs where !job.isExpensive {
            guard job.priority > priority || job.priority == priority && !isOverdue(job, now: now) else {
                continue
            }
            if client != nil, let other = job.client {
                waiting[other, default: 0] += 1
            } else {
                count += 1
            }
        }
        guard let client else { return count }
        return count + ClientTurns.before(client, of: waiting)
    }

    private func isOverdue(_ job: Job, now: Int64) -> Bool { now - job.arrived > waitLimit }

    /// Judges all waiting jobs anew, in the order of their arrival.
    mutating func replaceRule(order: WaitingOrder, waitLimit: Int64, isExpensive: (Job) -> Bool) {
        (self.order, self.waitLimit) = (order, waitLimit)
        for index in jobs.indices { jobs[index].isExpensive = isExpensive(jobs[index]) }
        ordinaryCount = jobs.count { !$0.isExpensive }
    }

    // MARK: Coming and going

    mutating func join(_ job: Job) {
        jobs.append(job)
        if !job.isExpensive { ordinaryCount += 1 }
        if let client = job.client { turns.join(client) }
    }

    /// Removes a job that begins now.
    mutating func begin(_ job: Job) {
        if let client = job.client { turns.begin(client, isExpensive: job.isExpensive) }
        remove(job.number)
        // The client's turn may have ended, so jobs that it took from other clients may be earlier with those.
        for index in jobs.indices where jobs[index].client == job.client {
            for former in jobs[index].formerClients { move(index, to: former) }
        }
    }

    /// - Returns: the job; nil if it does not wait here.
    @discardableResult
    mutating func remove(_ number: UInt64) -> Job? {
        jobs.firstIndex { $0.number == number }.map { remove(at: $0) }
    }

    private mutating func remove(at index: Int) -> Job {
        let job = jobs.remove(at: index)
        if !job.isExpensive { ordinaryCount -= 1 }
        if let client = job.client { turns.leave(client) }
        return job
    }

    /// Raises a job's class, which never falls. If another client wants the job as well and its turn comes earlier, the job moves to
    /// that client.
    /// - Returns: false if the job does not wait here.
    mutating func raise(_ number: UInt64, to priority: Priority, for client: Asker? = nil) -> Bool {
        guard let index = jobs.firstIndex(where: { $0.number == number }) else { return false }
        jobs[index].priority = max(jobs[index].priority, priority)
        if let client { move(index, to: client) }
        return true
    }

    /// Moves a job to another client that wants it as well, if that client's turn comes earlier.
    private mutating func move(_ index: Int, to client: Asker) {
        guard let former = jobs[index].client, turns.isEarlier(client, than: former) else { return }
        // Joins before it leaves, so that at least one client waits at any time.
        turns.join(client)
        turns.leave(former)
        jobs[index].client = client
        if !jobs[index].formerClients.contains(former) { jobs[index].formerClients.append(former) }
    }

    // MARK: The next

    /// The next job of one class, among the expensive or among the ordinary ones.
    /// - Parameter held: nil skips a job that may not start now.
    func next(of priority: Priority, isExpensive: Bool, now: Int64, held: (Job) -> Held?) -> Job? {
        let byRatio = order == .responseRatio && !isExpensive
        var next: (job: Job, place: (Int, Int, Int), rank: Double)?
        var isNewestFirst: Bool?
        for job in jobs where job.priority == priority && job.isExpensive == isExpensive {
            let prefersLater = isNewestFirst ?? (!byRatio && isOverdue(job, now: now))
            isNewestFirst = prefersLater
            guard let held = held(job) else { continue }
            let place = (turn(of: job), held.client, held.group)
            let rank = byRatio ? rank(of: job, now: now) : 0
            if let best = next {
                if place > best.place { continue }
                if place == best.place, !prefersLater, rank <= best.rank { continue }
            }
            next = (job, place, rank)
        }
        return next?.job
    }

    private func turn(of job: Job) -> Int {
        guard turns.areTaken, let client = job.client else { return 0 }
        return turns.turn(of: client)
    }

    /// The rank by response ratio; the highest is next. The literature adds one to the ratio.
    private func rank(of job: Job, now: Int64) -> Double {
        let wait = Double(now - job.arrived)
        let ratio = wait / Double(max(Self.leastTime, job.time))
        return isOverdue(job, now: now) && ratio > Self.patience ? -wait : ratio
    }

    // MARK: Too many

    /// Removes one job of the lowest class: an expensive one before others, and one of the client with the
    /// most jobs; the oldest of them if it is overdue, otherwise the newest.
    /// - Parameters:
    ///   - count: considers only this many of the oldest jobs.
    ///   - group: considers only jobs of this group; nil for all.
    mutating func pushOut(ofOldest count: Int, in group: String? = nil, now: Int64) -> Job? {
        let eligible = jobs.prefix(max(0, count)).indices.filter { group == nil || jobs[$0].group == group }
        guard let lowest = eligible.map({ jobs[$0].priority }).min() else { return nil }
        let candidates = eligible.filter { jobs[$0].priority == lowest }
        let expensive = candidates.filter { jobs[$0].isExpensive }
        let chosen = ofClientWithMost(expensive.isEmpty ? candidates : expensive)
        guard let oldest = chosen.first, let newest = chosen.last else { return nil }
        return remove(at: isOverdue(jobs[oldest], now: now) ? oldest : newest)
    }

    /// The jobs of the client with the most jobs. If any job belongs to no client, all of the jobs count as equal.
    private func ofClientWithMost(_ indices: [Int]) -> [Int] {
        var counts: [Asker: Int] = [:]
        for index in indices {
            guard let asker = jobs[index].asker else { return indices }
            counts[asker, default: 0] += 1
        }
        guard counts.count > 1, let most = counts.values.max() else { return indices }
        return indices.filter { index in
            guard let asker = jobs[index].asker else { return false }
            return counts[asker] == most
        }
    }

    /// True if another client has at least two more jobs of this class or a lower one, so that one of them
    /// gives way to a newcomer.
    func givesWay(to client: Asker, _ priority: Priority) -> Bool {
        var counts: [Asker: Int] = [:]
        for job in jobs where job.priority <= priority {
            if let asker = job.asker { counts[asker, default: 0] += 1 }
        }
        return (counts.values.max() ?? 0) > counts[client, default: 0] + 1
    }
}
