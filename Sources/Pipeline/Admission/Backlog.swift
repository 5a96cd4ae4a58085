// SPDX-License-Identifier: Apache-2.0

/// CoDel's standing queue (RFC 8289): a burst fills a queue for a moment, which is its purpose; a queue that
/// stays is an overload, and makes every job wait.
///
/// Detected as in "Fail at Scale" (Maurer, ACM Queue 13:8, 2015): the queue stands if it has not been empty
/// for longer than `waitLimit`. Then it is kept just long enough to keep the permits busy (`work`), while a
/// burst may fill all of `longest`. CoDel drops packets; here newcomers are refused before their request has
/// cost anything.
///
/// Only ordinary jobs count. Expensive ones are slow in any case, and ordinary ones overtake them.
struct Backlog {
    private var permits: Int
    private var longest: Int
    private var waitLimit: Int64
    private var work: Int64
    /// Microseconds of the clock since which an ordinary job has been waiting; nil if none waits.
    private var since: Int64?
    /// Mean microseconds that recent ordinary jobs have run.
    private var run = MovingMean()

    /// - Parameters:
    ///   - longest: jobs that may wait in a burst.
    ///   - waitLimit: microseconds after which a queue that is never empty stands.
    ///   - work: microseconds of work that may wait in a standing queue.
    init(permits: Int, longest: Int, waitLimit: Int64, work: Int64) {
        self.permits = permits
        self.longest = longest
        self.waitLimit = waitLimit
        self.work = work
    }

    /// As `init`; what was learned stays.
    mutating func replaceLimits(permits: Int, longest: Int, waitLimit: Int64, work: Int64) {
        (self.permits, self.longest, self.waitLimit, self.work) = (permits, longest, waitLimit, work)
    }

    /// Records the number of ordinary jobs that wait, after each event.
    mutating func update(waiting: Int, now: Int64) { since = waiting == 0 ? nil : since ?? now }

    /// Records the run of an ordinary job, in microseconds.
    mutating func learn(run time: Int64) { run.add(time) }

    func stands(now: Int64) -> Bool { since.map { now - $0 > waitLimit } ?? false }

    /// The number of jobs that may wait, for newcomers.
    func length(now: Int64) -> Int {
        let run = run.value
        guard stands(now: now), run > 0 else { return longest }
        let jobs = Int(work / run).multipliedReportingOverflow(by: permits)
        return min(longest, max(permits, jobs.overflow ? .max : jobs.partialValue))
    }

    /// True if there is room for a job that leaves the queue before this one now.
    ///
    /// Many jobs may be on their way from a slow origin. Jobs that have not left count only for a standing
    /// queue, so that no permit stays free for them.
    /// - Parameter ahead: waiting jobs that will stay before it.
    func hasRoom(behind ahead: Int, _ inflow: AdmissionQueue.Inflow, now: Int64) -> Bool {
        let run = run.value
        let served = run == 0 ? 0 : Int(inflow.time / run) * permits
        let coming = inflow.travelling + (stands(now: now) ? inflow.waiting : 0)
        return ahead + coming - served < length(now: now)
    }
}
