// SPDX-License-Identifier: Apache-2.0

package import Clients

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
    let id: RequestID
    /// The client's own name of the request; empty if it gave none.
    let name: UnsafeRawBufferPointer
    /// The HTTP status, or `clientClosedRequest`.
    package let status: Int
    /// Bytes of content that the kernel took, without the head.
    package let bodyBytes: Int
    /// From the end of the head to the last byte of the answer.
    package let microseconds: Int
    /// As the answer gave it, or as the handler did where none was made; 0 where neither did.
    package let tag: UInt16
    /// As the answer gave them; nil where it gave none.
    let noted: Unmanaged<AnyObject>?

    /// Taken up only where somebody asks, which spares the others the counting of references.
    package var notes: AnyObject? { noted?.takeUnretainedValue() }

    /// The request's name: the client's own (`X-Request-Id`), or the server's.
    package func withRequestID<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        name.isEmpty ? id.withText(body) : body(name)
    }
}
