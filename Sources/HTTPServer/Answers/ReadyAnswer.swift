// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
package import HTTPSemantics
package import Kernel

/// An answer that is made once and sent many times: its head is rendered, and its body is in memory or in a file.
///
/// The server adds the parts that differ from one sending to the next (`Date`, `Connection`, the fields that the cached answer
/// appends, the empty line). A HEAD gets the head alone. For a 304, make an answer without a body.
///
/// **Isolation:** immutable. `@unchecked Sendable` because the raw pointers point into storage that `head` and `body`
/// own and never write again.
package final class ReadyAnswer: @unchecked Sendable {
    /// The HTTP status; it decides whether the answer has content.
    package let status: Int
    /// Not interpreted by the server; returned in the `ExchangeRecord`.
    package let tag: UInt16
    /// Not interpreted by the server, as `tag`.
    let notes: (any AnyObject & Sendable)?
    /// Bytes of the body, 0 without one.
    package let bodyLength: Int
    let head: ImmutableBytes
    private let body: Body?
    /// The body's bytes if they are in memory. Stored separately, so that sending copies no enum with its reference.
    let bodyPointer: UnsafeRawPointer?
    let bodyDescriptor: Int32
    /// The text that is sent instead of the body; nil for none.
    let text: Base64Text?

    /// `Content-Length` is computed from the body; `ResponseHead.write` names the fields that are left out.
    /// - Parameter text: sent in place of the body.
    package init(
        status: Int, fields: Fields, body: Body?, text: Base64Text? = nil, tag: UInt16,
        notes: (any AnyObject & Sendable)? = nil
    ) {
        self.status = status
        self.tag = tag
        self.notes = notes
        let body = ResponseHead.hasContent(status) && text == nil ? body : nil
        self.body = body
        self.text = ResponseHead.hasContent(status) ? text : nil
        bodyLength = body?.length ?? self.text?.count ?? 0
        var buffer = FieldBuffer(capacity: 1024)
        ResponseHead.write(status: status, fields: fields, framing: .length(bodyLength), into: &buffer)
        head = ImmutableBytes(buffer.bytes)
        switch body {
        case .bytes(let bytes): (bodyPointer, bodyDescriptor) = (bytes.pointer, -1)
        case .file(let file, _): (bodyPointer, bodyDescriptor) = (nil, file.raw)
        case nil: (bodyPointer, bodyDescriptor) = (nil, -1)
        }
    }

    /// The 304 that confirms `other`: its head has the fields of `other` whose names `isRepeated` accepts.
    package init(
        confirming other: ReadyAnswer, repeating isRepeated: (_ name: UnsafeRawBufferPointer) -> Bool
    ) {
        (status, tag, notes) = (304, other.tag, other.notes)
        (body, text, bodyLength, bodyPointer, bodyDescriptor) = (nil, nil, 0, nil, -1)
        var buffer = FieldBuffer(capacity: 512)
        ResponseHead.writeNotModified(of: other.head.buffer, repeating: isRepeated, into: &buffer)
        head = ImmutableBytes(buffer.bytes)
    }

    /// The same head and body, with another tag and other notes.
    package init(_ other: ReadyAnswer, tag: UInt16, notes: (any AnyObject & Sendable)?) {
        (status, head, body, text) = (other.status, other.head, other.body, other.text)
        (bodyLength, bodyPointer, bodyDescriptor) = (
            other.bodyLength, other.bodyPointer, other.bodyDescriptor
        )
        (self.tag, self.notes) = (tag, notes)
    }

    /// Makes a ready answer from a response, which must not be a part of its body (206).
    package convenience init(_ response: Response) {
        self.init(
            status: response.status, fields: response.fields, body: response.body, text: response.text,
            tag: response.tag, notes: response.notes)
    }

    /// The file that is sent; nil if the body is in memory.
    package var file: OwnedDescriptor? {
        guard case .file(let file, _) = text?.body ?? body else { return nil }
        return file
    }

    /// Bytes in memory that the answer takes beside its body, for a store with a budget.
    package var headLength: Int { head.count }
}
