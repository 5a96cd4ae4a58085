// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

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
