// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTP1
package import HTTPSemantics

/// Answers requests. A class, because every loop calls it through one reference for every request.
package protocol RequestHandler: AnyObject, Sendable {
    /// Whether it is asked for `refusal(of:)` before each request. Read once by each loop.
    var mayRefuse: Bool { get }

    /// Asked before anything else where it `mayRefuse`: the answer to a request that its
    /// client may not make now. On the event loop, as `cachedAnswer`, and with its `tail`; nil lets the request go on.
    /// - Parameter ticks: microseconds of a clock that never goes back.
    func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer?

    /// Asked first, on the event loop, for a GET or HEAD in the origin form without a body. Must not wait, and should
    /// not allocate. Appends the fields that belong to this one answer (`Age`, `Cache-Status`, …) to `tail`; the
    /// static ones are in the answer's head. nil sends the request to `respond` and forgets what was appended.
    func cachedAnswer(
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

    /// Default: nothing is refused.
    package func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer? { nil }

    /// Default: 0.
    package func tag(ofUnanswered request: Request) -> UInt16 { 0 }
}

/// One request and what came of it, for the access log and the metrics. The buffers live as long as the call.
package struct ExchangeRecord: ~Copyable {
    /// `status` where the client left before an answer was made, as nginx logs it.
    package static let clientClosedRequest = 499

    /// As in the `RequestView`.
    package let peer: PeerAddress
    /// Empty where the request was refused before it was read so far, as is `target`.
    package let method: UnsafeRawBufferPointer
    /// The request target; empty as `method` is.
    package let target: UnsafeRawBufferPointer
    /// The HTTP status, or `clientClosedRequest`.
    package let status: Int
    /// Bytes of content that the kernel took, without the head.
    package let bodyBytes: Int
    /// From the end of the head to the last byte of the answer.
    package let microseconds: Int
    /// As the answer gave it, or as the handler did where none was made; 0 where neither did.
    package let tag: UInt16
}
