// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics

extension EventLoop {
    /// Writes `X-Request-Id` among the answer's fields: always the ID that the client sent; the server's own ID in errors only.
    @inline(__always)
    mutating func tell(_ id: RequestID, of request: borrowing RequestView, status: Int) {
        if let own = request.clientID {
            tell(own)
        } else if status >= 400 {
            id.withText { tell($0) }
        }
    }

    mutating func tell(_ id: String) { id.withFieldBytes { tell($0) } }

    private mutating func tell(_ id: UnsafeRawBufferPointer) {
        outbox.scratch.open("X-Request-Id")
        outbox.scratch.writeRaw(id)
        outbox.scratch.close()
    }
}
