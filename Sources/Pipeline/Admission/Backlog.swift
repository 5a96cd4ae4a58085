// SPDX-License-Identifier: Apache-2.0

/// CoDel's standing queue (RFC 8289): a burst fills a queue for a moment, which is its purpose; a queue that
/// stays is an overload, and makes every job wait.
///
/// Detected as in "Fail at Scale" (Maurer, ACM Queue 13:8, 2015): the queue stands if it has not been empty
/// for longer than `waitLimit`. Then it is kept just long enough to keep the permits busy (`standingWork`), while a
/// burst may fill all of `queueLength`. CoDel drops packets; here newcomers are refused before their request has
/// cost anything.
///
/// Only ordinary jobs count. Expensive ones are slow in any case, and ordinary ones overtake them.
struct Backlog {
    /// May be replaced at any time; the learned mean stays.
    var limits: AdmissionLimits
    /// Microseconds of the clock since which an ordinary job has been waiting; nil if none waits.
    private var since: Int64?
    /// Mean microseconds that recent ordinary jobs have run.
    private var run = MovingMean()

    init(limits: AdmissionLimits) { self.limits = limits }

    /// Records the number of ordinary jobs that wait, after each event.
    mutating func update(waiting: Int, now: Int64) { since = waiting == 0 ? nil : since ?? now }

    /// Records the run of an ordinary job, in microseconds.
    mutating func learn(run time: Int64) { run.add(time) }

    func isStanding(now: Int64) -> Bool { since.map { now - $0 > limits.waitLimit } ?? false }

    /// The number of jobs that may wait before a newcomer is refused.
    func length(now: Int64) -> Int {
        let run = run.value
        guard isStanding(now: now), run > 0 else { return limits.queueLength }
        let jobs = Int(limits.standingWork / run).multipliedReportingOverflow(by: limits.permits)
        return min(limits.queueLength, max(limits.permits, jobs.overflow ? .max : jobs.partialValue))
    }

    /// True if a job that leaves the previous queue now finds room here.
    ///
    /// Many jobs may be on their way from a slow origin. Jobs that still wait in the previous queue count only if this queue stands;
    /// otherwise they would keep permits free that newcomers could use.
    /// - Parameter ahead: waiting jobs that will stay ahead of the newcomer.
    func hasRoom(behind ahead: Int, _ inflow: AdmissionQueue.Inflow, now: Int64) -> Bool {
        let run = run.value
        let served = run == 0 ? 0 : Int(inflow.time / run) * limits.permits
        let coming = inflow.travelling + (isStanding(now: now) ? inflow.waiting : 0)
        return ahead + coming - served < length(now: now)
    }
}
