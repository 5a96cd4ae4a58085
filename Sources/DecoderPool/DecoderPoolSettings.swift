// SPDX-License-Identifier: Apache-2.0

internal import CLinux
package import DecoderProtocol
internal import Glibc

/// The settings of one pool, for decoders or for inspectors.
package struct DecoderPoolSettings: Sendable {
    package var kind = WorkerKind.decoder
    /// Jobs at a time. A decoder keeps one core busy.
    package var processes = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    /// Idle processes beyond `processes`. A spare takes over when a process dies or is recycled, since starting
    /// another costs 100 ms and more after a crash. About 20 MB resident each, 1 MB of them its own.
    package var spares = 1
    /// Jobs that may wait for a process. The pipeline admits no more jobs than there are processes; those that wait
    /// here do so because a process is still busy with a job that was given up, or is being replaced.
    package var queueLimit = 16
    /// Seconds of processor time that a job may use for each second of its deadline. Encoders that start threads use
    /// every core there is.
    package var processorTime = Double(max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// Bytes of the largest output that any job may be allowed.
    package var fileSize = 64 << 20
    /// From start to handshake.
    var startDeadline: Duration = .seconds(10)
    /// Between two looks at the processor time of a process that has no job.
    var idleLook: Duration = .seconds(30)
    /// How long a job may go on that nobody waits for. Most jobs end sooner, and replacing a killed process costs
    /// about as much time as this.
    var cancelGrace: Duration = .milliseconds(150)
    /// How long a running job may go on when the pool shuts down, and how long a process may take to leave, or to end once its
    /// socket is closed or it is killed.
    var shutdownGrace: Duration = .seconds(2)
    /// Jobs after which a process is replaced.
    package var recycleAfter = 2_000
    /// Resident bytes, seen after a job, above which a process is replaced.
    package var recycleAbove = 112 << 20
    /// Bytes of address space, seen after a job, above which a process is replaced at once: so little is left of its
    /// limit that the next picture would be refused as damaged.
    package var spentAbove = Int.max

    /// Whether the memory of a process is looked at after each job, for the two limits above.
    package var measuresMemory = true

    /// The defaults; the daemon overwrites them with its settings.
    package init() {}
}
