// SPDX-License-Identifier: Apache-2.0

internal import HTTP1

/// A streamed answer whose head has been put into an outbox.
struct OpenStream {
    let body: StreamedBody
    let request: Request
    let isChunked: Bool
    /// The answer's record; its `content` counts the bytes of the pieces so far.
    var answer: Outbox.AnswerRecord
}
