// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

extension ConnectionState {
    /// An event that the event loop reports to a connection's state.
    enum Event: Hashable {
        /// accept(2) has returned the connection's socket.
        case accepted(expectsProxyHeader: Bool)
        /// epoll_wait(2) has named the connection's socket.
        case ready(Readiness)
        /// The connection used up its share of the last iteration, and goes on in this one.
        case rescheduled

        // MARK: Reading

        /// recv(2) returned less than there was room for: the socket is empty.
        case shortRead
        /// recv(2) returned nothing (EAGAIN).
        case emptyRead
        /// The peer has closed its side, or the socket failed.
        case endOfInput
        /// The header of the PROXY protocol is complete.
        case proxyHeader
        /// The bytes do not begin like a header of the PROXY protocol, or the header is malformed.
        case badProxyHeader
        /// A request has begun and its head is incomplete.
        case partialHead
        /// A request was answered at once: its answer is in the loop's outbox.
        case answered(isLast: Bool)
        /// A request was understood, and its answer needs a task.
        case awaited(isLast: Bool, RequestBody)
        /// The request's body is complete.
        case endOfBody
        /// The bytes are no request, or one that this server does not answer. The connection ends with the answer, because the bounds
        /// of the following bytes are unknown (RFC 9112 §2.2).
        case faulty(MessageError)
        /// This many bytes have arrived since we closed our side.
        case discarded(total: Int)

        // MARK: Answering and writing

        /// A client that has shut its side cannot be probed: its socket has failed, or HTTP/1.0 has no probe.
        case departed
        /// The task for the connection of this generation has an answer.
        case responded(generation: UInt32)
        /// The answer in the loop's outbox is the head of a streamed one.
        /// - Parameters:
        ///   - isEndless: true if the body has no end of its own, so that a drain ends it.
        ///   - untilClose: true if the close of the connection marks the body's end (RFC 9112 §6.3 item 8).
        case streamed(isEndless: Bool, untilClose: Bool)
        /// The next piece of this connection's streamed answer is there.
        case piece(generation: UInt32)
        /// The streamed answer has no more pieces.
        case endOfStream(generation: UInt32)
        /// The answer in the loop's outbox is a refusal that must be delayed (`RefusalLimiter`).
        case delayed(microseconds: Int64)
        /// The socket did not take the whole of the loop's outbox.
        case blocked
        /// Everything that was read has been handled as far as possible, and the loop's outbox is empty.
        case flushed
        /// The socket has taken the whole of the connection's own outbox.
        case written
        /// A write failed: the peer has gone, or the answer's file cannot be read.
        case sendFailed

        // MARK: Time

        /// The deadline has passed.
        /// - Parameter hasProgress: true if the client has taken enough of its answer since the deadline was set.
        case expired(hasProgress: Bool)
        /// The server drains: it completes what has begun, and ends.
        case drain
        /// The time for the drain is over.
        case cut
    }

    /// The events of epoll_wait(2) for a socket.
    struct Readiness: OptionSet, Hashable {
        let rawValue: UInt8

        /// EPOLLIN
        static let readable = Readiness(rawValue: 1 << 0)
        /// EPOLLOUT
        static let writable = Readiness(rawValue: 1 << 1)
        /// EPOLLRDHUP: the peer has shut down its side.
        static let peerClosed = Readiness(rawValue: 1 << 2)
        /// EPOLLERR, EPOLLHUP: both sides are shut, or the socket failed.
        static let broken = Readiness(rawValue: 1 << 3)
    }

    /// The body that follows a request's head.
    enum RequestBody: Hashable {
        case none
        case expected
        /// The client waits for a `100 Continue` before it sends the body (RFC 9110 §10.1.1).
        case expectedAfterContinue
    }
}
