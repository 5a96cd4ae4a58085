// SPDX-License-Identifier: Apache-2.0

extension ConnectionState {
    /// The phases of a connection between events, each with the ways out of it.
    enum Phase: UInt8, CaseIterable {
        /// There is no connection. Out: a connection is accepted.
        case free
        /// The proxy has not yet named the client. Out: the end of its header (idle), a fault in it, the deadline.
        case greeting
        /// Between requests. Out: bytes arrive (head, body, answering, sending, or back here), answers do not fit into
        /// the socket (writing), a refusal waits (holding), the peer closes, the deadline.
        case idle
        /// A head has begun. Out: its end, a fault in it or its deadline (sending); earlier answers do not fit into the
        /// socket (writing).
        case head
        /// A body is being read. Out: its end (answering), a fault in it or its deadline (sending).
        case body
        /// A task makes the answer. No deadline. Out: the answer (sending), or the client leaves. A client that has only shut its
        /// side is probed, and the phase stays.
        case answering
        /// An answer is in the loop's outbox, and nothing is read before it is sent. Ends with the loop's iteration. Out: the answer
        /// is sent (idle, streaming or lingering), it does not fit into the socket (writing), it is a refusal that must be delayed
        /// (holding).
        case sending
        /// A task makes the next piece of a streamed answer (`StreamedBody`), and the kernel has all earlier pieces. No deadline,
        /// because the maker of the pieces decides how often they come. Out: a piece, the end, or a drain (sending), or the client
        /// leaves.
        case streaming
        /// A refusal is delayed (`RefusalLimiter`). Out: its time or a drain (writing), or the client leaves.
        case holding
        /// The socket takes no more. Out: everything is written (idle, streaming or lingering), or the client makes no progress.
        case writing
        /// We have closed our side. Out: the peer closes its side, it sends too much, or the deadline.
        case lingering

        /// True if the socket is read in this phase.
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

        /// The kernel may hold bytes that were not read yet. epoll reports them once (EPOLLET).
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer has shut down its side.
        static let peerClosed = Flags(rawValue: 1 << 1)
        /// The answer that is being made or written is the last one.
        static let lastAnswer = Flags(rawValue: 1 << 2)
        /// The server drains.
        static let draining = Flags(rawValue: 1 << 3)
        /// The answer is a streamed one whose end was not yet written.
        static let streamed = Flags(rawValue: 1 << 4)
        /// The streamed answer has no end of its own, so only a drain ends it.
        static let endless = Flags(rawValue: 1 << 5)
        /// The peer was probed already.
        static let probed = Flags(rawValue: 1 << 6)
    }
}

// MARK: What the loop asks

extension ConnectionState {
    /// True if the connection of this generation is still open.
    func isCurrent(_ generation: UInt32) -> Bool { self.generation == generation && phase != .free }

    /// True if the peer has shut its side, though it may still read.
    var hasHalfClosedPeer: Bool { flags.contains(.peerClosed) }

    /// True if the socket should be read now.
    var wantsInput: Bool { flags.contains(.readable) && phase.isRead }

    /// True if bytes that were read and could not be taken up must be kept. Bytes behind the last request are dropped.
    var keepsInput: Bool {
        switch phase {
        case .body: true
        case .greeting, .idle, .head, .answering, .streaming, .sending, .holding, .writing:
            !flags.contains(.lastAnswer)
        case .free, .lingering: false
        }
    }

    /// True if the answer to the next request closes the connection.
    /// - Parameters:
    ///   - keepsAlive: the client's wish (RFC 9112 §9.3).
    ///   - limit: the most requests of one connection.
    func isLast(keepsAlive: Bool, limit: Int) -> Bool {
        !keepsAlive || flags.contains(.draining) || Int(requests) + 1 >= limit
    }
}
