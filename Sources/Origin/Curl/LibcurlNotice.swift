// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Facts that libcurl reports only in its verbose output.
enum LibcurlNotice {
    /// libcurl has dropped bytes beyond an answer's length.
    case excess
    /// libcurl has the complete answer and keeps the connection.
    case keptConnection
    /// The peer has announced over TLS that it sends no more (close_notify, RFC 8446 §6.1).
    case closeNotify

    /// Nil for any other text.
    init?(_ text: UnsafeRawBufferPointer) {
        if text.starts(with: "Excess found".utf8) || text.starts(with: "Leftovers after".utf8) {
            self = .excess
        } else if Self.tellsKeptConnection(text) {
            self = .keptConnection
        } else if Self.tellsCloseNotify(text) {
            self = .closeNotify
        } else {
            return nil
        }
    }

    /// Recognises "Connection #1 to host a.example left intact". libcurl 7.88 cuts off the end behind a long name.
    private static func tellsKeptConnection(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.starts(with: "Connection #".utf8) else { return false }
        return text.dropFirst("Connection #".utf8.count).drop(while: \.isASCIIDigit)
            .starts(with: " to host ".utf8)
    }

    /// Recognises "TLSv1.3 (IN), TLS alert, close notify (256):".
    private static func tellsCloseNotify(_ text: UnsafeRawBufferPointer) -> Bool {
        text.starts(with: "TLSv1.".utf8)
            && text.dropFirst("TLSv1.3".utf8.count).starts(with: " (IN), TLS alert, close notify".utf8)
    }
}
