// SPDX-License-Identifier: Apache-2.0

package import DecoderProtocol
package import Kernel

/// What one kind of worker process is asked, and what it answers: a decoder's job is a picture to make, an
/// inspector's a header to read.
package protocol WorkerJob: Sendable {
    associatedtype Output: Sendable

    /// From the moment a process has the job, and over all processes that it is given to.
    var deadline: Duration { get }
    /// The files that travel with the message.
    var descriptors: [OwnedDescriptor] { get throws(SystemError) }
    /// Nil: what such a job takes of a process's memory is not looked at.
    var account: JobAccount? { get }
    var length: JobLength { get }

    /// Whether the message says all that is asked for. A job whose message does not is given to no process.
    var fitsMessage: Bool { get }
    func message(id: UInt64, _ settings: DecoderPoolSettings) -> [UInt8]

    /// Bytes of the longest answer.
    static var longestAnswer: Int { get }
    /// A process that was taken over says what it likes: whatever is no answer to this very job is nil.
    func answer(in message: [UInt8], id: UInt64) -> Result<Output, DecoderRefusal>?

    /// Undoes what a process may have left of it. False: the job cannot be given to another.
    func restart() -> Bool

    /// A process that does not answer in time was slowed down by something else, for all that is known: the
    /// job may be given to another once.
    static var hangsAreForgiven: Bool { get }
}

extension WorkerJob {
    package var length: JobLength { .usual }
    package var fitsMessage: Bool { true }
}

package enum JobLength: Sendable {
    /// Microseconds: the caller's thread waits for it (`WorkerPool.lend`).
    case short
    case usual
    /// Such jobs leave one process to the others, where there is more than one.
    case long
}

/// What is compared with what a job took.
package struct JobAccount: Sendable {
    /// Bytes that it was admitted for.
    package var price: Int
    /// Bytes of the files that the process maps.
    package var mapped: Int
    /// What is told of it.
    package var event: @Sendable (_ process: Int32, JobMemory) -> DecoderEvent
}

package typealias DecoderPool = WorkerPool<DecoderJob>
package typealias InspectorPool = WorkerPool<InspectionJob>
