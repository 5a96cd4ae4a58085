// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPSemantics

/// A request that is looked at where it was read: nothing is copied, and it is gone when the call it was passed to
/// returns. Buffers that it hands out live as long.
package struct RequestView: ~Copyable {
    package let head: RequestHead
    /// Who asks: the other end of the connection, or the client that trusted proxies name (`ClientRule`).
    package let peer: PeerAddress
    private let bytes: UnsafeRawBufferPointer

    /// `bytes` begin at the head's first byte and hold all of it.
    package init(head: RequestHead, bytes: UnsafeRawBufferPointer, peer: PeerAddress) {
        self.head = head
        self.bytes = bytes
        self.peer = peer
    }

    package var method: Method { head.method }

    /// Path and query as they came, never empty in the origin form.
    package var target: UnsafeRawBufferPointer { head.targetRange.slice(of: bytes) }

    /// The value of the field's first line, without white space around it; empty if the line was.
    package subscript(field: KnownField) -> UnsafeRawBufferPointer? {
        head.value(field)?.slice(of: bytes)
    }

    /// Bytes in the buffer: the head, and what was read behind it.
    package var bytesRead: Int { bytes.count }

    package var methodBytes: UnsafeRawBufferPointer { head.methodRange.slice(of: bytes) }

    /// Every field line in order. Bytes that are not UTF-8 become U+FFFD.
    package var fields: Fields {
        var list: [Fields.Field] = []
        list.reserveCapacity(head.fieldCount)
        head.forEachField(of: bytes) { name, value in
            list.append(Fields.Field(name.text, value.text))
        }
        return Fields(list)
    }

    /// The request as a value that may outlive the buffer. `body` is its content, if any.
    package func owned(body: [UInt8]) -> Request {
        let target = String(decoding: self.target, as: UTF8.self)
        return Request(
            method: String(decoding: methodBytes, as: UTF8.self),
            target: target.isEmpty ? "/" : target,
            authority: String(decoding: head.authorityRange.slice(of: bytes), as: UTF8.self),
            minorVersion: Int(head.minorVersion), fields: fields, body: body, peer: peer)
    }
}

/// A request that is a value of its own, for the way that waits.
package struct Request: Sendable {
    /// As spelled: methods are case-sensitive.
    package var method: String
    /// Path and query, beginning with "/", or "*" for a server-wide OPTIONS.
    package var target: String
    /// Host and port that were asked for, as spelled; may be empty.
    package var authority: String
    /// 0 or 1.
    package var minorVersion: Int
    package var fields: Fields
    /// The content, where the server was told to keep it.
    package var body: [UInt8]
    /// As in the `RequestView`.
    package var peer: PeerAddress

    package init(
        method: String, target: String, authority: String = "", minorVersion: Int = 1,
        fields: Fields = Fields(), body: [UInt8] = [], peer: PeerAddress = .local
    ) {
        self.method = method
        self.target = target
        self.authority = authority
        self.minorVersion = minorVersion
        self.fields = fields
        self.body = body
        self.peer = peer
    }
}
