// SPDX-License-Identifier: Apache-2.0

package import DecoderProtocol
package import Kernel

/// The question to one kind of worker process, and its answer: a decoder's job is a picture to make, an
/// inspector's a header to read.
package protocol WorkerJob: Sendable {
    associatedtype Output: Sendable

    /// From the moment a process has the job, and over all processes that it is given to.
    var deadline: Duration { get }
    /// The files that travel with the message.
    var descriptors: [OwnedDescriptor] { get throws(SystemError) }
    /// Nil if the memory that such a job takes is not measured.
    var account: JobAccount? { get }
    /// Decides how the job shares processes with others.
    var length: JobLength { get }

    /// The engine in the result's key: a process with another engine must not make the result. Nil if any process may.
    var engine: String? { get }
    /// Whether the message says all that is asked for. A job whose message does not is given to no process.
    var fitsMessage: Bool { get }
    /// The encoded message; `id` comes back in the answer.
    func message(id: UInt64, _ settings: DecoderPoolSettings) -> [UInt8]

    /// Bytes of the longest answer.
    static var longestAnswer: Int { get }
    /// Nil for every message but an answer to this very job: a process that was taken over can send anything.
    func answer(in message: [UInt8], id: UInt64) -> Result<Output, DecoderRefusal>?

    /// Undoes the traces that a process may have left. Returns false if the job cannot be given to another process.
    func restart() -> Bool

    /// A process that does not answer in time was slowed down by something else, for all that is known: the
    /// job may be given to another once.
    static var hangsAreForgiven: Bool { get }
}

extension WorkerJob {
    /// Usual, unless the kind of job says otherwise.
    package var length: JobLength { .usual }
    /// Nil, unless the kind of job says otherwise.
    package var engine: String? { nil }
    /// True, unless the kind of job says otherwise.
    package var fitsMessage: Bool { true }
}

/// How long a job keeps its process busy.
package enum JobLength: Sendable {
    /// Microseconds: the caller's thread waits for it (`WorkerPool.lend`).
    case short
    case usual
    /// Such jobs leave one process to the others, where there is more than one.
    case long
}

/// The prediction that the measured memory of a job is compared with.
package struct JobAccount: Sendable {
    /// Bytes that it was admitted for.
    package var price: Int
    /// Bytes that it may take at most, address space included that is never touched; nil where its price is held by what
    /// the header tells.
    package var most: Int?
    /// Bytes of the files that the process maps.
    package var mapped: Int
    /// Makes the event that reports the measurement.
    package var event: @Sendable (_ process: Int32, JobMemory) -> DecoderEvent
}

/// Processes that make pictures.
package typealias DecoderPool = WorkerPool<DecoderJob>
/// Processes that read headers and undo content codings.
package typealias InspectorPool = WorkerPool<InspectionJob>
