// SPDX-License-Identifier: Apache-2.0

/// The processor time that a process uses without a job.
///
/// One that was taken over may answer as it should, and compute on. No deadline runs then, and no limit of processor time ends it: a
/// process can ignore SIGXCPU, or block it (signal(7)). A process that is as it should be sleeps.
struct IdleTime {
    /// Beyond it a process is replaced.
    static let most = Duration.seconds(1)
    /// Between an answer and the sleep behind it, at most: the threads of a library may look for work for a while. So much is
    /// taken off with each job, of which a process may have any number.
    private static let perJob = Duration.milliseconds(10)

    private var sum = Duration.zero
    /// What the process had used at the last look, and the jobs that were lent by then; nil while it has a job.
    private var last: (used: Duration, lent: Int)?

    /// True if the process has used too much.
    var isSpent: Bool { sum > Self.most }

    /// Looks at a process that has no job.
    /// - Parameters:
    ///   - used: the processor time of its whole life; nil if that cannot be told.
    ///   - lent: the jobs that it has done for callers since its supervisor last gave it one. Since another was lent, its time is
    ///     that job's.
    mutating func look(at used: Duration?, lent: Int) {
        if let last, let used, last.lent == lent { sum += used - last.used }
        last = used.map { ($0, lent) }
    }

    /// The process gets a job.
    mutating func end(at used: Duration?, lent: Int) {
        look(at: used, lent: lent)
        sum = max(.zero, sum - Self.perJob)
        last = nil
    }
}
