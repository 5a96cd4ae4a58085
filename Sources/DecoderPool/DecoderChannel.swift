// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// The decoder process's side of the socket: says hello, then takes one job after the other.
///
/// **Isolation:** used by the process's main thread only.
package struct DecoderChannel {
    /// A job with its descriptors; dropping it closes them.
    package struct Job {
        package let message: WireJob
        package let input: OwnedDescriptor
        package let output: OwnedDescriptor
        /// The watermark's input.
        package let watermark: OwnedDescriptor?
    }

    package enum Next {
        case job(Job)
        /// The daemon has closed its end: time to leave.
        case closed
        /// Not a job: the two ends do not understand each other.
        case nonsense
    }

    private let socket: WireSocket

    /// Takes over the inherited socket.
    package init(adopting descriptor: Int32 = Wire.descriptor) {
        socket = WireSocket(OwnedDescriptor(adopting: descriptor))
    }

    package func send(_ hello: WireHello) throws(SystemError) { try socket.send(hello.encoded) }

    package func send(_ reply: WireReply) throws(SystemError) { try socket.send(reply.encoded) }

    /// Waits for the next job.
    package func next() throws(SystemError) -> Next {
        switch try socket.receive(descriptorLimit: 3) {
        case .message(let bytes, let descriptors):
            guard let message = WireJob(bytes), descriptors.count == message.descriptorCount else {
                return .nonsense
            }
            return .job(
                Job(
                    message: message, input: descriptors[0], output: descriptors[1],
                    watermark: descriptors.dropFirst(2).first))
        case .closed, .closedUnread: return .closed
        case .oversized: return .nonsense
        }
    }
}
