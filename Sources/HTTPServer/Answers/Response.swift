// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Kernel

/// An answer to one request.
package struct Response: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The fields without `Content-Length`, `Date` and `Connection`, which the server adds.
    package var fields: Fields
    /// Nil for an answer without content; not sent if `text` is set.
    package var body: Body?
    /// Sent in place of the body.
    package var text: Base64Text?
    /// Sent in place of the body, piece by piece as it is made.
    package var stream: StreamedBody?
    /// The part of the body to send, for a 206; nil = all of it. Within the body's length.
    package var part: Range<Int>?
    /// Not interpreted by the server; returned in the `ExchangeRecord`.
    package var tag: UInt16
    /// Not interpreted by the server, as `tag`.
    package var notes: (any AnyObject & Sendable)?

    /// - Parameter tag: 0 if the handler has none.
    package init(
        status: Int, fields: Fields = Fields(), body: Body? = nil, text: Base64Text? = nil,
        stream: StreamedBody? = nil, part: Range<Int>? = nil, tag: UInt16 = 0
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.text = text
        self.stream = stream
        self.part = part
        self.tag = tag
    }

    /// Bytes of the whole content, of which `part` may select some.
    var contentLength: Int { text?.count ?? body?.length ?? 0 }
}
