// SPDX-License-Identifier: Apache-2.0

/// The processor time that a process uses without a job.
///
/// A process that an attacker has taken over may answer its job and go on computing. No deadline applies then, nor does the limit of
/// processor time, because a process can ignore or block SIGXCPU (signal(7)). A healthy process sleeps between its jobs.
struct IdleTime {
    /// A process that has used more than this is replaced.
    static let most = Duration.seconds(1)
    /// Subtracted with each job, because the threads of a library may look for work for a while after an answer.
    private static let perJob = Duration.milliseconds(10)

    private var sum = Duration.zero
    /// The processor time at the last look, and the number of jobs that were lent by then; nil while the process has a job.
    private var last: (used: Duration, lent: Int)?

    /// True if the process has used too much.
    var isSpent: Bool { sum > Self.most }

    /// Looks at a process that has no job.
    /// - Parameters:
    ///   - used: the processor time of the process's whole life; nil if it is unknown.
    ///   - lent: the number of jobs that the process has done for callers since its supervisor last gave it one. If the number has
    ///     changed since the last look, the time was used by these jobs and does not count.
    mutating func look(at used: Duration?, lent: Int) {
        if let last, let used, last.lent == lent { sum += used - last.used }
        last = used.map { ($0, lent) }
    }

    /// Must be called when the process gets a job.
    mutating func end(at used: Duration?, lent: Int) {
        look(at: used, lent: lent)
        sum = max(.zero, sum - Self.perJob)
        last = nil
    }
}
