// SPDX-License-Identifier: Apache-2.0

package import DecoderProtocol
package import Kernel

/// A worker process's end of the socket: sends the handshake, then takes one job after the other.
///
/// **Isolation:** used by the process's main thread only.
package struct WorkerChannel<Message: WireOrder> {
    /// A job with its descriptors, as many as its message announces. Releasing it closes them.
    package struct Job {
        /// The job or the question, as the daemon sent it.
        package let message: Message
        private let files: Files
        fileprivate var descriptors: [OwnedDescriptor] { files.descriptors }

        fileprivate init(_ message: Message, _ descriptors: [OwnedDescriptor]) {
            self.message = message
            files = Files(descriptors)
        }

        /// Closes the job's files, in all its copies; the job cannot be used afterwards. The daemon refuses a picture whose
        /// file the process could still write to.
        package func letGo() { files.descriptors = [] }
    }

    /// **Isolation:** used by the process's main thread only.
    private final class Files {
        var descriptors: [OwnedDescriptor]

        init(_ descriptors: [OwnedDescriptor]) { self.descriptors = descriptors }
    }

    /// The result of waiting for a job.
    package enum Next {
        case job(Job)
        /// The daemon has closed its end, so the process has to leave.
        case closed
        /// A message that is no job; the two ends do not agree on the protocol.
        case nonsense
    }

    private let socket: WireSocket

    /// Takes ownership of the inherited socket.
    package init(adopting descriptor: Int32 = Wire.descriptor) {
        socket = WireSocket(OwnedDescriptor(adopting: descriptor))
    }

    /// Sends the handshake or an answer. Throws the error of sendmsg(2).
    package func send(_ message: some WireMessage) throws(SystemError) { try socket.send(message.encoded) }

    /// Waits for the next job.
    package func next() throws(SystemError) -> Next {
        switch try socket.receive(descriptorLimit: 3) {
        case .message(let bytes, let descriptors):
            guard let message = Message(bytes), descriptors.count == message.descriptorCount else {
                return .nonsense
            }
            return .job(Job(message, descriptors))
        case .closed, .closedUnread: return .closed
        case .oversized: return .nonsense
        }
    }
}

/// The end of the socket in a decoder process.
package typealias DecoderChannel = WorkerChannel<WireJob>
/// The end of the socket in an inspector process.
package typealias InspectorChannel = WorkerChannel<WireQuestion>

extension WorkerChannel.Job where Message == WireJob {
    /// The original, open for reading.
    // Cannot trap: a job has as many descriptors as its message needs.
    package var input: OwnedDescriptor { descriptors[0] }
    /// The empty file for the rendition.
    // Cannot trap: as for the input.
    package var output: OwnedDescriptor { descriptors[1] }
    /// The watermark's input.
    package var watermark: OwnedDescriptor? { descriptors.dropFirst(2).first }
}

extension WorkerChannel.Job where Message == WireQuestion {
    /// The file that the question is about, open for reading.
    // Cannot trap: a job has as many descriptors as its message needs.
    package var input: OwnedDescriptor { descriptors[0] }
    /// The file for the result, if the question has one.
    package var output: OwnedDescriptor? { descriptors.dropFirst().first }
}
