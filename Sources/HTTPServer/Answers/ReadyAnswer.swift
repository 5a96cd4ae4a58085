// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
package import HTTPSemantics
package import Kernel

/// An answer that has been made once to be sent many times: its head is rendered, its body is wherever it lies.
///
/// The parts that change from one sending to the next (`Date`, `Connection`, what the cached answer appends, the empty
/// line) are added by the server. A HEAD gets the head alone. For a 304, make one without a body.
///
/// **Isolation:** immutable. `@unchecked Sendable` because the raw pointers point into storage that `head` and `body`
/// own and never write again.
package final class ReadyAnswer: @unchecked Sendable {
    /// The HTTP status; it decides whether the answer has content.
    package let status: Int
    /// Opaque here; comes back in the `ExchangeRecord`.
    package let tag: UInt16
    /// Opaque here, as `tag`.
    let notes: (any AnyObject & Sendable)?
    /// Bytes of the body, 0 without one.
    package let bodyLength: Int
    let head: ImmutableBytes
    private let body: Body?
    /// The body's bytes if they are in memory. Kept apart so that sending copies no enum with its reference.
    let bodyPointer: UnsafeRawPointer?
    let bodyDescriptor: Int32
    /// Instead of the body where it goes out as text.
    let text: Base64Text?

    /// `Content-Length` is made from the body; see `ResponseHead.write` for the fields that are left out.
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

    /// The 304 that confirms another answer: its head has those of the other's fields whose names `isRepeated` takes.
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

    /// The same answer, made once. Not of a part.
    package convenience init(_ response: Response) {
        self.init(
            status: response.status, fields: response.fields, body: response.body, text: response.text,
            tag: response.tag, notes: response.notes)
    }

    /// The file that it sends, where it does.
    package var file: OwnedDescriptor? {
        guard case .file(let file, _) = text?.body ?? body else { return nil }
        return file
    }

    /// Bytes in memory that the answer keeps alive beside its body's, for a store that counts.
    package var headLength: Int { head.count }
}
