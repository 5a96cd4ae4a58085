// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1

/// One connection, as small as possible: an idle connection has this record alone, unless the first byte of an empty line was read.
struct Connection {
    var descriptor: Int32 = -1
    /// The connection's phase and facts. Changed by `EventLoop.advance` alone.
    var state = ConnectionState()
    /// True if the connection counts for its client in `ClientCensus`.
    var isCounted = false
    /// In microseconds of `Clock`.
    var deadline = Int64.max
    /// The other end of the connection, or the client that a proxy names in the PROXY protocol.
    var peer = PeerAddress.local
    /// The state that only a busy connection needs; nil for an idle connection without unread input.
    var work: Work?
}

/// The state of a connection while a request or an answer is unfinished.
///
/// **Isolation:** confined to its loop's thread.
final class Work {
    /// Bytes that were read and not yet consumed.
    var input: ByteStore?
    /// The parser of the head that begins in `input`, or of the empty lines before it.
    var parser: RequestParser?
    var body: BodyDecoder?
    /// True if the request at the beginning of `input` was not refused, and waits until earlier answers are sent.
    var isAdmitted = false
    /// The request whose body is read or whose answer is awaited.
    var request: Request?
    /// When the head of the request ended, in microseconds of `Clock`.
    var started: Int64 = 0
    var task: Task<Void, Never>?
    var output: Outbox?
    /// The value of `output.sent` when the present window for progress began.
    var progress = 0
    /// The streamed answer that is being sent.
    var stream: OpenStream?
    /// Bytes that were read and dropped while lingering.
    var discarded = 0

    var isEmpty: Bool {
        (input?.count ?? 0) == 0 && parser == nil && body == nil && request == nil && output == nil
            && stream == nil
    }
}
