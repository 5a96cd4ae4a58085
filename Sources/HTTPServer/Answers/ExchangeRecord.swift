// SPDX-License-Identifier: Apache-2.0

package import Clients

/// One request and its answer, for the access log and the metrics. The buffers are valid during the call only.
package struct ExchangeRecord: ~Copyable {
    /// The `status` if the client left before an answer was made, as nginx logs it.
    package static let clientClosedRequest = 499

    /// The peer, as in the `RequestView`.
    package let peer: PeerAddress
    /// The method; empty if the request was refused before its request line was read.
    package let method: UnsafeRawBufferPointer
    /// The request target; empty in the same case.
    package let target: UnsafeRawBufferPointer
    let id: RequestID
    /// The request's ID from the client; empty if it sent none.
    let name: UnsafeRawBufferPointer
    /// The HTTP status, or `clientClosedRequest`.
    package let status: Int
    /// Bytes of content that the kernel took, without the head.
    package let bodyBytes: Int
    /// From the end of the head to the last byte of the answer.
    package let microseconds: Int
    /// The tag of the answer, or of the handler if no answer was made; 0 without either.
    package let tag: UInt16
    /// The notes of the answer; nil if it has none.
    let noted: Unmanaged<AnyObject>?

    /// The notes, retained only when asked for, which saves reference counting for the other exchanges.
    package var notes: AnyObject? { noted?.takeUnretainedValue() }

    /// The request's ID: the client's own (`X-Request-Id`), or the server's.
    package func withRequestID<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        name.isEmpty ? id.withText(body) : body(name)
    }
}
