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
    /// The peer has ended TLS because of an error (RFC 8446 §6.2).
    case fatalAlert
    /// The server has not processed the request: it has refused the stream of HTTP/2 (RFC 9113 §8.7), or it ends the connection
    /// with a GOAWAY that names none of its streams (§6.8).
    case unprocessed

    /// Nil for any other text.
    init?(_ text: UnsafeRawBufferPointer) {
        if text.starts(with: "Excess found".utf8) || text.starts(with: "Leftovers after".utf8) {
            self = .excess
        } else if Self.tellsKeptConnection(text) {
            self = .keptConnection
        } else if Self.tellsUnprocessed(text) {
            self = .unprocessed
        } else if let alert = Self.alert(text) {
            guard alert.isClose || alert.isFatal else { return nil }
            self = alert.isClose ? .closeNotify : .fatalAlert
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

    /// Recognises "REFUSED_STREAM, retrying a fresh connect", and "received GOAWAY, error=0, last_stream=0", whose first word
    /// libcurl 7.88 misspells. With another last stream, the request may have been processed.
    private static func tellsUnprocessed(_ text: UnsafeRawBufferPointer) -> Bool {
        if text.starts(with: "REFUSED_STREAM".utf8) { return true }
        guard text.starts(with: "received GOAWAY,".utf8) || text.starts(with: "recveived GOAWAY,".utf8),
            let equals = text.lastIndex(of: UInt8(ascii: "="))
        else { return false }
        return text[(equals + 1)...].prefix(while: \.isASCIIDigit).elementsEqual("0".utf8)
    }

    /// Reads "TLSv1.3 (IN), TLS alert, close notify (256):", in which the number counts, because OpenSSL has no names for some
    /// alerts. Its upper byte is the level, 2 for an error, and the lower one the description, 0 for close_notify (RFC 8446 §6).
    private static func alert(_ text: UnsafeRawBufferPointer) -> (isClose: Bool, isFatal: Bool)? {
        guard text.starts(with: "TLSv1.".utf8) else { return nil }
        let rest = text.dropFirst("TLSv1.3".utf8.count)
        guard rest.starts(with: " (IN), TLS alert, ".utf8),
            let bracket = rest.lastIndex(of: UInt8(ascii: "("))
        else { return nil }
        let digits = rest[(bracket + 1)...].prefix(while: \.isASCIIDigit)
        guard let number = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
        return (isClose: number & 0xFF == 0, isFatal: number >> 8 == 2)
    }
}
