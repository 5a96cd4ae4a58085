// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// Rules of response framing (RFC 9112 §6) that libcurl does not enforce, checked against each line of a head
/// before any byte of the body is read.
///
/// libcurl 7.88 decodes `Transfer-Encoding: gzip` up to five times over inside `curl_multi_perform`, where
/// neither limits nor deadlines run: some hundred bytes keep it busy for hours. Our requests have no `TE`, so
/// a server may use `chunked`, once, and no other coding. Of several lengths libcurl takes the last, and of a
/// malformed length its readable part.
///
/// The rules read the bytes as libcurl does, and not the fields of `ReplyHead`, because a line may be a field for one and not for
/// the other.
package struct ReplyFraming {
    /// What is wrong with the framing.
    package enum Flaw: Sendable, Hashable {
        case transferCoding, contentLength
        /// The connection switches to another protocol, which the request did not ask for (RFC 9110 §15.2.2).
        case otherProtocol
        /// The head begins with a line that libcurl takes for a status line, although its form is another (RFC 9112 §4): it skips
        /// blanks and ignores case, so other readers may find another status.
        case statusLine
    }

    private enum Name: Equatable { case transferEncoding, contentLength, other }

    /// True before the first head, and after the empty line of each.
    private var isOver = true
    private var last = Name.other
    /// True if the body comes in chunks.
    private(set) var isChunked = false
    private var length: Int?

    /// True if the head uses both ways of framing the body.
    var isTwofold: Bool { isChunked && length != nil }

    /// True if the head tells where the body ends.
    var isDelimited: Bool { isChunked || length != nil }

    /// Checks one line, with its line end, of a final or an interim head; nil if the line breaks no rule.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Flaw? {
        guard let first = line.first, !first.isLineEnd else {
            isOver = true
            return nil
        }
        // A line that begins so within a head is like any other line.
        if isOver, line.starts(with: "HTTP/".utf8) {
            self = ReplyFraming()
            isOver = false
            return nil
        }
        if first.isBlank {
            // obs-fold: libcurl ignores the continuation line, other readers do not.
            return flaw(of: last)
        }
        guard let colon = line.firstIndex(of: .colon) else {
            last = .other
            return nil
        }
        let name = line[..<colon]
        // A space before the colon hides a field from some readers (RFC 9112 §5.1).
        last = Self.name(name.trimmed)
        if last != .other, name.last?.isBlank == true { return flaw(of: last) }
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...].trimmed)
        switch last {
        case .other: return nil
        case .transferEncoding:
            guard !isChunked, value.isSame(as: "chunked") else { return .transferCoding }
            isChunked = true
        case .contentLength:
            guard let length = Int(contentLength: value), length == self.length ?? length else {
                return .contentLength
            }
            self.length = length
        }
        return nil
    }

    private func flaw(of name: Name) -> Flaw? {
        switch name {
        case .transferEncoding: .transferCoding
        case .contentLength: .contentLength
        case .other: nil
        }
    }

    private static func name(_ bytes: Slice<UnsafeRawBufferPointer>) -> Name {
        let name = UnsafeRawBufferPointer(rebasing: bytes)
        if name.isSame(as: "transfer-encoding") { return .transferEncoding }
        return name.isSame(as: "content-length") ? .contentLength : .other
    }
}

// MARK: The lines of a head

extension UInt8 {
    /// Space or tab (RFC 9110 §5.6.3).
    var isBlank: Bool { self == .space || self == .tab }

    /// CR or LF.
    var isLineEnd: Bool { self == 0x0D || self == 0x0A }
}

extension Slice<UnsafeRawBufferPointer> {
    /// The bytes without the blanks and line ends around them.
    var trimmed: Slice<UnsafeRawBufferPointer> {
        var bytes = drop { $0.isBlank || $0.isLineEnd }
        while let last = bytes.last, last.isBlank || last.isLineEnd { bytes = bytes.dropLast() }
        return bytes
    }
}
