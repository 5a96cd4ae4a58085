// SPDX-License-Identifier: Apache-2.0

package import HTTP1
package import HTTPSemantics

/// Answers requests. A class, because every loop calls it through one reference for every request.
package protocol RequestHandler: AnyObject, Sendable {
    /// Whether it is asked for `refusal(of:)` before each request. Read once by each loop.
    var mayRefuse: Bool { get }

    /// Whether `respond` may run on the event loop until it waits for the first time: it must then neither block nor compute
    /// for long. Read once by each loop.
    var startsAtOnce: Bool { get }

    /// Asked before anything else where the handler `mayRefuse`, once for each request: the answer to one that its client may not
    /// make now. On the event loop, as `cachedAnswer`, and with its `tail`; nil lets the request go on.
    /// - Parameter ticks: microseconds of a clock that never goes back.
    func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Asked after that, on the event loop, for a GET or HEAD in the origin form without a body. Must not wait, and should
    /// not allocate. Appends the fields that belong to this one answer (`Age`, `Cache-Status`, …) to `tail`; the
    /// static ones are in the answer's head. nil sends the request to `respond` and forgets what was appended.
    func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Asked next, on the event loop, where the handler `startsAtOnce`, for a few requests at a time: may read and compute
    /// for some 100 µs, but not wait. Otherwise as `cachedAnswer`.
    func answerAtHand(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// The way that may wait, in a task of its own, which is cancelled when the client leaves.
    func respond(to request: Request) async -> Response

    /// The tag of a request whose client has left before `respond` answered it. On the event loop: must not wait.
    func tag(ofUnanswered request: Request) -> UInt16

    /// The words for a message that was refused. The connection closes after them. On the event loop: must not wait.
    func refusal(_ error: MessageError) -> Response

    /// Called once for every answer when the kernel has taken its last byte, or when its client has gone before.
    /// On the event loop: must be cheap.
    func completed(_ exchange: borrowing ExchangeRecord)
}

extension RequestHandler {
    /// Default: it refuses nothing.
    package var mayRefuse: Bool { false }

    /// Default: it begins on Swift's own threads.
    package var startsAtOnce: Bool { false }

    /// Default: nothing is refused.
    package func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer? { nil }

    /// Default: nothing is at hand.
    package func answerAtHand(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? { nil }

    /// Default: 0.
    package func tag(ofUnanswered request: Request) -> UInt16 { 0 }
}
