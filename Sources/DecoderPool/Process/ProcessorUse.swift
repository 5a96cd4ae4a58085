// SPDX-License-Identifier: Apache-2.0

/// The processor time that a process uses for one job, by which the machine's part in a missed deadline is told from the picture's.
///
/// Most work is done by a library's own threads, while the first thread sleeps until they are ready. The states of these threads
/// cannot be read where the service manager hides processes (`ProtectProc=invisible`). But a process that computes, however
/// seldom it gets a processor, uses some time in the last part of its job, and one that waits for ever uses none.
struct ProcessorUse {
    /// The part of a job's time that is looked at by itself: the last quarter.
    static let lastPart = 4
    /// A process that uses less in that part sleeps.
    private static let least = Duration.milliseconds(1)

    /// The processor time of the process's whole life when it got the job; nil if it is unknown, as below.
    private let start: Duration?
    /// The same when the last part of the job's time began.
    private var late: Duration?
    /// False if the daemon itself was kept waiting throughout the last part.
    private var hasLooked = false

    init(from start: Duration?) { self.start = start }

    /// To be called when the last part of the job's time begins.
    mutating func look(at used: Duration?) { (late, hasLooked) = (used, true) }

    /// Whether the machine gave the process less than half of what it had promised, though the process would have used it. The
    /// daemon's own threads take a part of the promised time, but not as much.
    ///
    /// - Parameters:
    ///   - end: the processor time at the job's deadline.
    ///   - promised: the processor time that the job could count on.
    ///   - firstCouldRun: whether the first thread would run if the machine let it.
    func wasWithheld(at end: Duration?, promised: Duration, firstCouldRun: Bool) -> Bool {
        guard let start, let end, end - start < promised / 2 else { return false }
        return firstCouldRun || !hasLooked || late.map { end - $0 >= Self.least } ?? false
    }
}
