// SPDX-License-Identifier: Apache-2.0

/// CoDel's standing queue (RFC 8289): a burst fills a queue for a moment, and the queue does its work; a queue that stays is
/// overload, and only makes everybody wait.
///
/// It is told as in "Fail at Scale" (Maurer, ACM Queue 13:8, 2015): the queue stands when it has not been empty for longer than
/// `patience`. Then it is kept only as long as the slots need to stay busy (`work`), while a burst may fill all of `longest`.
/// CoDel drops packets for this; here newcomers are refused before their request has cost anything.
///
/// Only ordinary jobs count. Expensive ones are slow in any case, and ordinary ones go before them.
struct Backlog {
    private let slots: Int
    private let longest: Int
    private let patience: Int64
    private let work: Int64
    /// Since when at least one ordinary job has been waiting, in microseconds.
    private var since: Int64?
    /// Microseconds that an ordinary job has run of late.
    private var run = MovingMean()

    /// - Parameters:
    ///   - longest: jobs that may wait in a burst.
    ///   - patience: microseconds after which a queue that is never empty stands.
    ///   - work: microseconds of work that may wait then.
    init(slots: Int, longest: Int, patience: Int64, work: Int64) {
        self.slots = slots
        self.longest = longest
        self.patience = patience
        self.work = work
    }

    /// After each event: the ordinary jobs that wait now.
    mutating func update(waiting: Int, now: Int64) { since = waiting == 0 ? nil : since ?? now }

    /// An ordinary job has run for so many microseconds.
    mutating func learn(run time: Int64) { run.add(time) }

    func stands(now: Int64) -> Bool { since.map { now - $0 > patience } ?? false }

    /// Jobs that may wait, for those that have not come yet.
    func length(now: Int64) -> Int {
        let run = run.value
        guard stands(now: now), run > 0 else { return longest }
        let jobs = Int(work / run).multipliedReportingOverflow(by: slots)
        return min(longest, max(slots, jobs.overflow ? .max : jobs.partialValue))
    }

    /// Whether there is room for a job that sets out now.
    ///
    /// A slow origin may keep many on the way. Those that have not set out yet count only in a queue that stands, so no slot
    /// stays free for their sake.
    /// - Parameter ahead: jobs that wait now and will still be before it.
    func hasRoom(behind ahead: Int, _ inflow: AdmissionQueue.Inflow, now: Int64) -> Bool {
        let run = run.value
        let served = run == 0 ? 0 : Int(inflow.time / run) * slots
        let coming = inflow.travelling + (stands(now: now) ? inflow.waiting : 0)
        return ahead + coming - served < length(now: now)
    }
}
