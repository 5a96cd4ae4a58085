// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics

/// The jobs that wait, in order of arrival: which of them is next, and which one goes when there are too many.
///
/// - **Adaptive LIFO** ("Fail at Scale", Maurer, ACM Queue 13:8, 2015): within a class first come, first served; while the
///   oldest has waited longer than `patience`, the newest is next. Only new arrivals still have a client who will see the answer.
/// - **Least held first**, as in fair queueing: the job whose client, and then whose group, holds fewest slots is next. Behind a
///   client that asks for much, a client that asks for little does not wait.
/// - **Longest queue drop** (Suter and others, 1998): when the line is too long, a job of the client with most jobs in it goes.
///
/// A line holds a few hundred jobs at most, so a scan costs less than an ordered tree would.
struct WaitingLine {
    typealias Job = AdmissionQueue.Job
    /// Slots that a job's client and its group hold.
    typealias Held = (client: Int, group: Int)

    private(set) var jobs: [Job] = []
    /// Jobs that are not expensive.
    private(set) var ordinaryCount = 0
    private let patience: Int64

    /// - Parameter patience: microseconds.
    init(patience: Int64) { self.patience = patience }

    var count: Int { jobs.count }
    var oldest: Job? { jobs.first }
    var holdsExpensive: Bool { ordinaryCount < jobs.count }

    func count(_ priority: Priority) -> Int { jobs.count { $0.priority == priority } }
    func count(of group: String) -> Int { jobs.count { $0.group == group } }

    /// Jobs that have waited longer than `patience`, of the oldest in one piece.
    func overdueCount(now: Int64) -> Int { jobs.prefix { isOverdue($0, now: now) }.count }

    /// Ordinary jobs that a newcomer of this class would stay behind. A job of its own class that is overdue gives way to it.
    func ordinaryCount(before priority: Priority, now: Int64) -> Int {
        jobs.count { job in
            !job.isExpensive
                && (job.priority > priority || job.priority == priority && !isOverdue(job, now: now))
        }
    }

    private func isOverdue(_ job: Job, now: Int64) -> Bool { now - job.arrived > patience }

    // MARK: Coming and going

    mutating func join(_ job: Job) {
        jobs.append(job)
        if !job.isExpensive { ordinaryCount += 1 }
    }

    /// - Returns: nil: it does not wait here.
    @discardableResult
    mutating func remove(_ number: UInt64) -> Job? {
        jobs.firstIndex { $0.number == number }.map { remove(at: $0) }
    }

    private mutating func remove(at index: Int) -> Job {
        let job = jobs.remove(at: index)
        if !job.isExpensive { ordinaryCount -= 1 }
        return job
    }

    /// A job's class never falls.
    /// - Returns: false: it does not wait here.
    mutating func raise(_ number: UInt64, to priority: Priority) -> Bool {
        guard let index = jobs.firstIndex(where: { $0.number == number }) else { return false }
        jobs[index].priority = max(jobs[index].priority, priority)
        return true
    }

    // MARK: The next

    /// The next job of one class, among the expensive or among the ordinary ones.
    /// - Parameter held: nil: this job may not begin now, and is passed over.
    func next(of priority: Priority, isExpensive: Bool, now: Int64, held: (Job) -> Held?) -> Job? {
        var next: (job: Job, held: Held)?
        var isNewestFirst: Bool?
        for job in jobs where job.priority == priority && job.isExpensive == isExpensive {
            let prefersLater = isNewestFirst ?? isOverdue(job, now: now)
            isNewestFirst = prefersLater
            guard let held = held(job) else { continue }
            if let best = next?.held, prefersLater ? held > best : held >= best { continue }
            next = (job, held)
        }
        return next?.job
    }

    // MARK: Too many

    /// Takes out one job of the lowest class: an expensive one before others, one of the client with most jobs; the oldest where that
    /// is overdue, else the newest.
    /// - Parameters:
    ///   - count: only the so many oldest.
    ///   - group: only jobs of this group; nil: any.
    mutating func pushOut(ofOldest count: Int, in group: String? = nil, now: Int64) -> Job? {
        let eligible = jobs.prefix(max(0, count)).indices.filter { group == nil || jobs[$0].group == group }
        guard let lowest = eligible.map({ jobs[$0].priority }).min() else { return nil }
        let candidates = eligible.filter { jobs[$0].priority == lowest }
        let expensive = candidates.filter { jobs[$0].isExpensive }
        let chosen = ofHeaviest(expensive.isEmpty ? candidates : expensive)
        guard let oldest = chosen.first, let newest = chosen.last else { return nil }
        return remove(at: isOverdue(jobs[oldest], now: now) ? oldest : newest)
    }

    /// Of these, those of the client with most. Jobs that belong to no asker make all of them equal.
    private func ofHeaviest(_ indices: [Int]) -> [Int] {
        var counts: [ClientKey?: Int] = [:]
        for index in indices {
            guard let asker = jobs[index].asker else { return indices }
            counts[asker.client, default: 0] += 1
        }
        guard counts.count > 1, let most = counts.values.max() else { return indices }
        return indices.filter { counts[jobs[$0].asker?.client] == most }
    }

    /// Whether another client has so many more jobs of this class or a lower one that one of them gives way to a newcomer.
    func givesWay(to client: ClientKey?, _ priority: Priority) -> Bool {
        var counts: [ClientKey?: Int] = [:]
        for job in jobs where job.priority <= priority {
            if let asker = job.asker { counts[asker.client, default: 0] += 1 }
        }
        return (counts.values.max() ?? 0) > counts[client, default: 0] + 1
    }
}
