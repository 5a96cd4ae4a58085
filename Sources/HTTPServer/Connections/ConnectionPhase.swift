// SPDX-License-Identifier: Apache-2.0

extension ConnectionState {
    /// Where a connection is between one event and the next, each with the ways out of it.
    enum Phase: UInt8, CaseIterable {
        /// There is no connection. Out: one is accepted.
        case free
        /// The proxy has not yet said for whom it connects. Out: its header's end (idle), a fault in it, the deadline.
        case greeting
        /// Between requests. Out: bytes arrive (head, body, answering, sending, or back here), answers do not fit into
        /// the socket (writing), a refusal waits (holding), the peer closes, the deadline.
        case idle
        /// A head has begun. Out: its end, a fault in it or its deadline (sending); earlier answers do not fit into the
        /// socket (writing).
        case head
        /// A body is being read. Out: its end (answering), a fault in it or its deadline (sending).
        case body
        /// A task makes the answer. No deadline. Out: the answer (sending), or the client leaves. One that has only shut its
        /// side is probed, and stays.
        case answering
        /// An answer is in the loop's outbox, and nothing is read before it has left. Lasts no longer than the loop's
        /// iteration. Out: it is sent (idle, streaming or lingering), it does not fit (writing), it is a refusal that has to wait
        /// (holding).
        case sending
        /// A task makes the next piece of a streamed answer (`StreamedBody`), and all pieces before are with the kernel.
        /// No deadline: who makes the pieces decides how often they come. Out: a piece, the end, or a drain (sending),
        /// or the client leaves.
        case streaming
        /// A refusal waits for its time (`RefusalLimiter`). Out: that time or a drain (writing), or the client leaves.
        case holding
        /// The socket does not take more. Out: all is written (idle, streaming or lingering), or the client makes no progress.
        case writing
        /// We have closed our side. Out: the peer has too, it sends too much, or the deadline.
        case lingering

        /// Whether the socket is read from.
        var isRead: Bool {
            switch self {
            case .greeting, .idle, .head, .body, .lingering: true
            case .free, .answering, .streaming, .sending, .holding, .writing: false
            }
        }
    }

    /// Facts about the connection beside its phase.
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The kernel may hold bytes that were not read yet. epoll tells it once (EPOLLET).
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer has shut down its side.
        static let peerClosed = Flags(rawValue: 1 << 1)
        /// The answer that is being made or written is the last one.
        static let lastAnswer = Flags(rawValue: 1 << 2)
        /// The server drains.
        static let draining = Flags(rawValue: 1 << 3)
        /// The answer is a streamed one whose end was not yet written.
        static let streamed = Flags(rawValue: 1 << 4)
        /// Only a drain ends it.
        static let endless = Flags(rawValue: 1 << 5)
        /// The peer has been asked whether it still reads.
        static let probed = Flags(rawValue: 1 << 6)
    }
}

// MARK: What the loop asks

extension ConnectionState {
    /// Whether the connection of that generation is still open.
    func isCurrent(_ generation: UInt32) -> Bool { self.generation == generation && phase != .free }

    /// Whether the peer has shut its side, and may still read.
    var hasHalfClosedPeer: Bool { flags.contains(.peerClosed) }

    /// Whether to read from the socket.
    var wantsInput: Bool { flags.contains(.readable) && phase.isRead }

    /// Whether bytes that were read and could not be taken up are kept. Bytes behind the last request are not.
    var keepsInput: Bool {
        switch phase {
        case .body: true
        case .greeting, .idle, .head, .answering, .streaming, .sending, .holding, .writing:
            !flags.contains(.lastAnswer)
        case .free, .lingering: false
        }
    }

    /// Whether the answer to the next request closes the connection.
    /// - Parameters:
    ///   - keepsAlive: the client's wish (RFC 9112 §9.3).
    ///   - limit: requests of one connection.
    func isLast(keepsAlive: Bool, limit: Int) -> Bool {
        !keepsAlive || flags.contains(.draining) || Int(requests) + 1 >= limit
    }
}
