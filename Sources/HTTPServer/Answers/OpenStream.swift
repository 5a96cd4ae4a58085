// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

/// A streamed answer that has begun.
struct OpenStream {
    let body: StreamedBody
    let request: Request
    let isChunked: Bool
    /// Its `content` counts the bytes of the pieces that have come.
    var answer: Outbox.AnswerRecord
}
