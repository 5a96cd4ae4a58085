// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTP1

/// One connection, as small as it can be: an idle one is this record alone, unless the first byte of an empty line has been read.
struct Connection {
    var descriptor: Int32 = -1
    /// The connection's phase and memory. Changes by `EventLoop.advance` alone.
    var state = ConnectionState()
    /// The client's share of connections holds this one.
    var isCounted = false
    /// `Clock.microseconds`.
    var deadline = Int64.max
    /// The other end, or the client for whom a proxy says that it connects.
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
    /// Has looked at the bytes of `input`, which are the beginning of a head, or empty lines before it.
    var parser: RequestParser?
    var body: BodyDecoder?
    /// The request at the beginning of `input` was not refused, and waits for earlier answers to go out.
    var isAdmitted = false
    /// The request whose body is read or whose answer is awaited.
    var request: Request?
    /// `Clock.microseconds` at the end of the request's head.
    var started: Int64 = 0
    var task: Task<Void, Never>?
    var output: Outbox?
    /// `output.sent` at the beginning of the window in which progress is asked for.
    var progress = 0
    /// The streamed answer that is being sent.
    var stream: OpenStream?
    /// Bytes that were thrown away while lingering.
    var discarded = 0

    var isEmpty: Bool {
        (input?.count ?? 0) == 0 && parser == nil && body == nil && request == nil && output == nil
            && stream == nil
    }
}
