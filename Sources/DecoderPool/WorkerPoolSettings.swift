// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DecoderProtocol
internal import Glibc

/// The settings of one pool, for decoders or for inspectors.
package struct WorkerPoolSettings: Sendable {
    package var kind = WorkerKind.decoder
    /// The number of jobs at a time. A decoder keeps one core busy.
    package var processes = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// Idle processes beyond `processes`. A spare takes over when a process dies or is recycled, because
    /// starting another takes 100 ms and more after a crash. Each has about 20 MB resident, 1 MB of them its
    /// own.
    package var spares = 1
    /// The most jobs that may wait for a process. The pipeline admits no more jobs than there are processes. Jobs
    /// wait here only while a process is busy with a job that was given up, or is being replaced.
    package var queueLimit = 16
    /// Seconds of processor time that a job may use for each second of its deadline. Encoders that start threads use
    /// every core.
    package var processorTime = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// The part of a processor that each process has while all of them work and no other program does.
    package var share = 1.0
    /// The largest output limit of any job, in bytes.
    package var fileSize = 64 << 20
    /// The time from the start of a process to its handshake.
    var startDeadline: Duration = .seconds(10)
    /// The time between two looks at the processor time of a process that has no job.
    var idleLook: Duration = .seconds(30)
    /// How long a job may go on after its caller has gone. Most jobs end sooner, and replacing a killed process
    /// costs about as much time.
    var cancelGrace: Duration = .milliseconds(150)
    /// How long a running job may go on when the pool shuts down, and how long a process may take to leave, or to end after
    /// its socket was closed or it was killed.
    var shutdownGrace: Duration = .seconds(2)
    /// The number of jobs after which a process is replaced.
    package var recycleAfter = 2_000
    /// A process with more resident bytes than this after a job is replaced.
    package var recycleAbove = 112 << 20
    /// A process with more address space than this after a job, in bytes, is replaced at once, because so little of
    /// its limit is left that the next picture would be refused as damaged.
    package var spentAbove = Int.max

    /// Whether a process's memory is measured after each job, for the two limits above.
    package var measuresMemory = true

    /// The defaults; the daemon overwrites them with its settings.
    package init() {}

    /// The processor time that a job can count on until its deadline, if no other program is at work.
    func promisedTime(until deadline: Duration) -> Duration { deadline * min(1, share, processorTime) }
}
