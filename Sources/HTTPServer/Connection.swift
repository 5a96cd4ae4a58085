// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1

/// One connection, as small as it can be: an idle one is this record and nothing else.
///
///     (greeting ─▶) idle ─▶ head ─▶ body ─▶ answering (─▶ holding) ─▶ writing ─▶ idle, or lingering ─▶ free
///
/// Requests of one connection are taken up one after the other: while an answer is awaited or does not fit into the
/// socket, nothing more is read from it. That is the order of pipelined answers and the back-pressure in one rule.
struct Connection {
    enum Phase: UInt8 {
        /// The slot is not in use.
        case free
        /// The proxy has not yet said for whom it connects. Out: its header's end (idle), a fault in it, the deadline.
        case greeting
        /// Between requests. Out: bytes arrive (head, body, answering, or back here), the peer closes, the deadline.
        case idle
        /// A head has begun. Out: its end, a fault in it, its deadline.
        case head
        /// A body is being read. Out: its end, a fault in it, its deadline.
        case body
        /// A task makes the answer. Out: the answer, or the client leaves.
        case answering
        /// A refusal is held back (`RefusalPace`). Out: its time has come, or the client leaves.
        case holding
        /// The socket does not take more. Out: all is written, or the client makes no progress.
        case writing
        /// We have closed our side. Out: the peer has too, or the deadline.
        case lingering
    }

    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The kernel may hold bytes that were not read yet. epoll tells it once (EPOLLET).
        static let readable = Flags(rawValue: 1 << 0)
        /// The peer has shut down its side.
        static let peerClosed = Flags(rawValue: 1 << 1)
        /// The answer that is being made or written is the last one.
        static let lastAnswer = Flags(rawValue: 1 << 2)
        /// The request that is being answered is a HEAD.
        static let headOnly = Flags(rawValue: 1 << 3)
        /// The client's share of connections holds this one.
        static let counted = Flags(rawValue: 1 << 4)
    }

    var descriptor: Int32 = -1
    /// Counts the connections that used the slot, never 0; tells an event or an answer for an earlier one.
    var generation: UInt32 = 0
    var phase = Phase.free
    var flags: Flags = []
    /// Requests that were taken up.
    var requests: UInt32 = 0
    /// `Clock.microseconds`.
    var deadline = Int64.max
    /// The other end, or the client for whom a proxy says that it connects.
    var peer = PeerAddress.local
    /// What a connection needs only when it is not idle.
    var work: Work?

    var isReading: Bool {
        switch phase {
        case .greeting, .idle, .head, .body, .lingering: true
        case .free, .answering, .holding, .writing: false
        }
    }
}

/// What a connection holds while something is unfinished.
///
/// **Isolation:** confined to its loop's thread.
final class Work {
    /// Bytes that were read and not yet consumed.
    var input: ByteStore?
    /// Has looked at the bytes of `input`, which are the beginning of a head.
    var parser: RequestParser?
    var body: BodyDecoder?
    /// The request whose body is read or whose answer is awaited.
    var request: Request?
    /// `Clock.microseconds` at the end of the request's head.
    var started: Int64 = 0
    var task: Task<Void, Never>?
    var output: Outbox?
    /// `output.sent` at the beginning of the window in which progress is asked for.
    var progress = 0
    /// Bytes that were thrown away while lingering.
    var discarded = 0

    var isEmpty: Bool {
        (input?.count ?? 0) == 0 && parser == nil && body == nil && request == nil && output == nil
    }
}
