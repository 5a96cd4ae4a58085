// SPDX-License-Identifier: Apache-2.0

package import Kernel
package import Recipes

/// A job for one kind of worker process, and its answer: a decoder renders a picture, an inspector reads a
/// header.
package protocol WorkerJob: Sendable {
    associatedtype Output: Sendable

    /// Counted from the moment a process has the job, over all processes that get it.
    var deadline: Duration { get }
    /// The files that travel with the message.
    var descriptors: [OwnedDescriptor] { get throws(SystemError) }
    /// Nil if the memory of such jobs is not measured.
    var account: JobAccount? { get }
    /// Decides how the job shares processes with others.
    var length: JobLength { get }

    /// The engine in the result's key. A process with another engine must not make the result. Nil if any process may.
    var engine: String? { get }
    /// Whether the message can express the whole job. Otherwise the job is given to no process.
    var fitsMessage: Bool { get }
    /// The encoded message; the answer contains the same `id`.
    func message(id: UInt64, _ settings: WorkerPoolSettings) -> [UInt8]

    /// The longest answer in bytes.
    static var longestAnswer: Int { get }
    /// Nil for every message that is no answer to this very job, because a process under an attacker's
    /// control can send anything.
    func answer(in message: [UInt8], id: UInt64) -> Result<Output, ImagingFailure>?

    /// Undoes changes that a process may have made. False if the job cannot be given to another process.
    func restart() -> Bool

    /// True if a process that does not answer in time was presumably held up by something else, so the job
    /// may be given to another process once.
    static var hangsAreForgiven: Bool { get }
}

extension WorkerJob {
    /// The default.
    package var length: JobLength { .usual }
    /// The default.
    package var engine: String? { nil }
    /// The default.
    package var fitsMessage: Bool { true }
}

/// How long a job keeps its process busy.
package enum JobLength: Sendable {
    /// Takes microseconds, so the caller's thread waits for the answer (`WorkerPool.lend`).
    case short
    case usual
    /// Such jobs leave one process to the others, if there is more than one.
    case long
}

/// The prediction with which the measured memory of a job is compared.
package struct JobAccount: Sendable {
    /// The bytes for which the job was admitted.
    package var price: Int
    /// The most bytes that the job may take, including untouched address space; nil if the header guarantees the price.
    package var most: Int?
    /// Bytes of the files that the process maps.
    package var mapped: Int
    /// Makes the event that reports the measurement.
    package var event: @Sendable (_ process: Int32, JobMemory) -> DecoderEvent
}

/// Processes that render pictures.
package typealias DecoderPool = WorkerPool<DecoderJob>
/// Processes that read headers and undo content codings.
package typealias InspectorPool = WorkerPool<InspectionJob>
