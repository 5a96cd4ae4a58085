// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
package import Kernel

/// One end of the socket between the daemon and a decoder process.
///
/// **Isolation:** immutable; each end is read by one thread, and written by one at a time.
package struct WireSocket: Sendable {
    /// The result of one `receive`.
    package enum Received: Sendable {
        case message([UInt8], descriptors: [OwnedDescriptor])
        /// The other end was closed after it had read everything.
        case closed
        /// The other end was closed while a message was unread.
        case closedUnread
        /// Longer than any message of ours.
        case oversized
    }

    /// The socket; it closes when its last owner releases it.
    package let descriptor: OwnedDescriptor

    /// - Parameter descriptor: a connected SOCK_SEQPACKET socket.
    package init(_ descriptor: OwnedDescriptor) { self.descriptor = descriptor }

    /// Two connected ends, both close-on-exec.
    package static func pair() throws(SystemError) -> (WireSocket, WireSocket) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .last("socketpair") }
        return (
            WireSocket(OwnedDescriptor(adopting: ends[0])), WireSocket(OwnedDescriptor(adopting: ends[1]))
        )
    }

    /// True if there is a message, or the other end is closed.
    var hasInput: Bool { awaitInput(milliseconds: 0) != 0 }

    /// - Returns: the events of poll(2); 0 if none came in time.
    func awaitInput(milliseconds: Int32) -> Int16 {
        var interest = pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0)
        return poll(&interest, 1, milliseconds) == 1 ? interest.revents : 0
    }

    /// - Returns: the events of poll(2) on this socket; 0 after a wake-up, or if nothing came in time.
    func awaitInput(or wakeup: Wakeup, milliseconds: Int32) -> Int16 {
        var interest = [
            pollfd(fd: descriptor.raw, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wakeup.descriptor.raw, events: Int16(POLLIN), revents: 0),
        ]
        return poll(&interest, nfds_t(interest.count), milliseconds) > 0 ? interest[0].revents : 0
    }

    /// Shuts down sending: the other end reads what was sent, and then the end.
    func endSending() { shutdown(descriptor.raw, Int32(SHUT_WR)) }

    /// Waits until the other end is closed, ignoring its messages.
    func awaitEnd(milliseconds: Int32) {
        // Without interest in input, poll(2) still reports that the other end was closed.
        var interest = pollfd(fd: descriptor.raw, events: 0, revents: 0)
        poll(&interest, 1, milliseconds)
    }

    /// Never waits, because the other end has at most one unread message at any time.
    package func send(_ message: [UInt8], descriptors: [OwnedDescriptor] = []) throws(SystemError) {
        let raw = descriptors.map(\.raw)
        let sent = withExtendedLifetime(descriptors) {
            message.withUnsafeBytes { bytes in
                // An empty array has no base address, but no message of ours is empty.
                bytes.baseAddress.map {
                    pictor_send_descriptors(descriptor.raw, $0, bytes.count, raw, raw.count)
                } ?? 0
            }
        }
        guard sent == message.count else { throw .last("sendmsg") }
    }

    /// Waits for a message of at most `limit` bytes. Accepts at most `descriptorLimit` descriptors; others
    /// are closed.
    package func receive(limit: Int = Wire.longestMessage, descriptorLimit: Int = 0) throws(SystemError)
        -> Received
    {
        var raw = [Int32](repeating: -1, count: max(descriptorLimit, 1))
        var arrived = 0
        var length = 0
        let message = [UInt8](unsafeUninitializedCapacity: limit) { storage, count in
            guard let base = storage.baseAddress else { return }
            length = pictor_receive_descriptors(
                descriptor.raw, base, storage.count, &raw, descriptorLimit, &arrived)
            count = min(max(length, 0), storage.count)
        }
        let code = errno
        let descriptors = raw.prefix(arrived).map { OwnedDescriptor(adopting: $0) }
        switch length {
        case ..<0 where code == ECONNRESET: return .closedUnread
        case ..<0: throw SystemError("recvmsg", code: code)
        case 0: return .closed
        case ...limit: return .message(message, descriptors: descriptors)
        default: return .oversized
        }
    }
}
