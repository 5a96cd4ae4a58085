// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import HTTPSemantics

/// The part of an answer before its content (RFC 9112 §4, §5).
package enum ResponseHead {
    /// How a client finds the end of the content (RFC 9112 §6.3).
    package enum Framing: Hashable, Sendable {
        /// `Content-Length`, in bytes.
        case length(Int)
        /// `Transfer-Encoding: chunked`, for HTTP/1.1.
        case chunked
        /// The body ends with the connection, for HTTP/1.0.
        case untilClose
    }

    /// Writes the status line, the framing if the status has content, and the fields. `Date`,
    /// `Connection` and the empty line differ from one sending to the next, so the caller writes them.
    ///
    /// Fields about framing and the connection belong to this module and are skipped: `Connection`,
    /// `Content-Length`, `Date`, `Keep-Alive`, `TE`, `Trailer`, `Transfer-Encoding`, `Upgrade`.
    package static func write(
        status: Int, fields: Fields, framing: Framing, into buffer: inout FieldBuffer
    ) {
        writeStatus(status, into: &buffer)
        if hasContent(status) {
            switch framing {
            case .length(let count): buffer.append("Content-Length", count)
            case .chunked: buffer.writeRaw("Transfer-Encoding: chunked\r\n")
            case .untilClose: break
            }
        }
        for field in fields.list {
            field.name.withFieldBytes { name in
                if !isOurs(name) { buffer.append(name, field.value) }
            }
        }
    }

    /// Writes the head of the 304 that confirms an answer, whose head `write` has written: it repeats the fields whose names
    /// `isRepeated` accepts.
    package static func writeNotModified(
        of head: UnsafeRawBufferPointer, repeating isRepeated: (_ name: UnsafeRawBufferPointer) -> Bool,
        into buffer: inout FieldBuffer
    ) {
        writeStatus(304, into: &buffer)
        var rest = head
        // A field is one line (`FieldBuffer`), and the status line has no colon.
        while let end = offset(of: Byte.lineFeed, in: rest) {
            let line = UnsafeRawBufferPointer(rebasing: rest[...end])
            rest = UnsafeRawBufferPointer(rebasing: rest[(end + 1)...])
            guard let colon = offset(of: UInt8(ascii: ":"), in: line) else { continue }
            if isRepeated(UnsafeRawBufferPointer(rebasing: line[..<colon])) { buffer.writeRaw(line) }
        }
    }

    /// The first index of `byte`, found with memchr(3), which compares many bytes at once.
    private static func offset(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else {
            return nil
        }
        return UnsafeRawPointer(found) - start
    }

    private static func writeStatus(_ status: Int, into buffer: inout FieldBuffer) {
        buffer.writeRaw("HTTP/1.1 ")
        buffer.add(min(max(status, 100), 999))
        buffer.writeRaw(" ")
        buffer.writeRaw(reason(status))
        buffer.writeRaw("\r\n")
    }

    /// False for 1xx, 204 and 304, which end with their head (RFC 9112 §6.3 item 1).
    package static func hasContent(_ status: Int) -> Bool {
        status >= 200 && status != 204 && status != 304
    }

    private static func isOurs(_ name: UnsafeRawBufferPointer) -> Bool {
        switch name.count {
        case 2: name.isSame(as: "TE")
        case 4: name.isSame(as: "Date")
        case 7: name.isSame(as: "Trailer") || name.isSame(as: "Upgrade")
        case 10: name.isSame(as: "Connection") || name.isSame(as: "Keep-Alive")
        case 14: name.isSame(as: "Content-Length")
        case 17: name.isSame(as: "Transfer-Encoding")
        default: false
        }
    }

    /// The reason phrase of RFC 9110 §15; empty for other statuses (RFC 9112 §4 allows that).
    package static func reason(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 416: "Range Not Satisfiable"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        case 508: "Loop Detected"
        default: ""
        }
    }
}
