// SPDX-License-Identifier: Apache-2.0

package import HTTP1
package import HTTPSemantics

/// Answers requests. A class, because every loop calls it through one reference for each request.
package protocol RequestHandler: AnyObject, Sendable {
    /// True if `refusal(of:ticks:tail:)` must be asked before each request. Read once by each loop.
    var mayRefuse: Bool { get }

    /// True if `respond` may run on the event loop until its first wait: it must neither block nor compute for long until then. Read
    /// once by each loop.
    var startsAtOnce: Bool { get }

    /// Asked first if the handler `mayRefuse`, once for each request: the answer to a request that its client may not make now; nil
    /// lets the request go on. On the event loop, and with a `tail`, as `cachedAnswer`.
    /// - Parameter ticks: microseconds of a clock that never goes back.
    func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Asked next, on the event loop, for a GET or HEAD in the origin form without a body. Must not wait, and should not allocate.
    /// Appends the fields that belong to this one answer (`Age`, `Cache-Status`, …) to `tail`; the other fields are in the answer's
    /// head. Nil sends the request to `respond`, and drops what was appended.
    func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Called, on the event loop, for a GET or HEAD in the origin form with a body, for which `cachedAnswer` is not asked, because the
    /// body must be read first: counts whether there is a cached answer. Must not wait.
    func countLookup(of request: borrowing RequestView)

    /// Asked next, on the event loop, if the handler `startsAtOnce`, for a few requests in each iteration. May read and compute for
    /// some 100 µs, but must not wait. Otherwise as `cachedAnswer`.
    func answerAtHand(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Answers a request that the other methods did not answer. May wait: runs in a task of its own, which is cancelled when the
    /// client leaves.
    func respond(to request: Request) async -> Response

    /// The tag of a request whose client has left before `respond` answered it. On the event loop: must not wait.
    func tag(ofUnanswered request: Request) -> UInt16

    /// The answer to a message that is refused; the connection closes after it. On the event loop: must not wait.
    func refusal(_ error: MessageError) -> Response

    /// Called once for every answer, when the kernel has taken its last byte or its client has left before. On the event loop: must
    /// be cheap.
    func completed(_ exchange: borrowing ExchangeRecord)
}

extension RequestHandler {
    /// Default: it refuses nothing.
    package var mayRefuse: Bool { false }

    /// Default: nothing is counted.
    package func countLookup(of request: borrowing RequestView) {}

    /// Default: `respond` runs on Swift's own threads.
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
