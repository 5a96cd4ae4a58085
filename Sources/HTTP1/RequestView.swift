// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPSemantics

/// A request in the buffer that it was read into, without copies. The view and all buffers that it returns are valid only during the
/// call to which it was passed.
package struct RequestView: ~Copyable {
    /// Numbers and ranges that the parser found.
    package let head: RequestHead
    /// The client: the connection's peer, or the client that trusted proxies name (`ClientRule`).
    package let peer: PeerAddress
    private let bytes: UnsafeRawBufferPointer

    /// `bytes` begin at the head's first byte and hold all of it.
    package init(head: RequestHead, bytes: UnsafeRawBufferPointer, peer: PeerAddress) {
        self.head = head
        self.bytes = bytes
        self.peer = peer
    }

    /// The method; `other` for methods that the parser does not distinguish.
    package var method: Method { head.method }

    /// Path and query as received; not empty in the origin form.
    package var target: UnsafeRawBufferPointer { head.targetRange.slice(of: bytes) }

    /// The value of the field's first line, without white space around it; nil without such a line.
    package subscript(field: KnownField) -> UnsafeRawBufferPointer? {
        head.value(field)?.slice(of: bytes)
    }

    /// Bytes in the buffer: the head, and everything that was read after it.
    package var bytesRead: Int { bytes.count }

    /// The method's spelling.
    package var methodBytes: UnsafeRawBufferPointer { head.methodRange.slice(of: bytes) }

    /// Every field line in order; bytes that are not UTF-8 become U+FFFD.
    package var fields: Fields {
        var list: [Fields.Field] = []
        list.reserveCapacity(head.fieldCount)
        head.forEachField(of: bytes) { name, value in
            list.append(Fields.Field(name.text, value.text))
        }
        return Fields(list)
    }

    /// Copies the request into a value that may outlive the buffer, without content.
    package func owned() -> Request {
        var target = String(decoding: self.target, as: UTF8.self)
        // RFC 9110 §4.2.3: an empty path is the root, and for OPTIONS the server as a whole.
        if target.isEmpty { target = method == .options ? "*" : "/" }
        return Request(
            method: String(decoding: methodBytes, as: UTF8.self), target: target,
            authority: String(decoding: head.authorityRange.slice(of: bytes), as: UTF8.self),
            minorVersion: head.minorVersion, fields: fields, peer: peer)
    }
}
