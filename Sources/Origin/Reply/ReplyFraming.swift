// SPDX-License-Identifier: Apache-2.0

/// Rules of response framing (RFC 9112 §6) that libcurl does not enforce, checked against each line of a head
/// before any byte of the body is read.
///
/// libcurl 7.88 decodes `Transfer-Encoding: gzip` up to five times over inside `curl_multi_perform`, where
/// neither limits nor deadlines run: some hundred bytes keep it busy for hours. Our requests have no `TE`, so
/// a server may use `chunked`, once, and no other coding. Of several lengths libcurl takes the last, and of a
/// malformed length its readable part.
///
/// The rules read the bytes as libcurl does, and not the fields of `ReplyHead`: a line may be a field to one
/// and not to the other.
package struct ReplyFraming {
    /// The kind of framing that is wrong.
    package enum Flaw: Sendable, Hashable { case transferCoding, contentLength }

    private enum Name: Equatable { case transferEncoding, contentLength, other }

    /// True before the first head, and after the empty line of each.
    private var isOver = true
    private var last = Name.other
    private var isChunked = false
    private var length: UInt64?

    /// True if the head uses both ways of framing the body.
    var isTwofold: Bool { isChunked && length != nil }

    /// True if the head tells where the body ends.
    var isDelimited: Bool { isChunked || length != nil }

    /// Checks one line, with its line end, of a final or an interim head; nil if it breaks no rule.
    mutating func add(_ line: UnsafeRawBufferPointer) -> Flaw? {
        guard let first = line.first, !Self.isLineEnd(first) else {
            isOver = true
            return nil
        }
        // Within a head, it is a line like any other.
        if isOver, line.starts(with: "HTTP/".utf8) {
            self = ReplyFraming()
            isOver = false
            return nil
        }
        if Self.isSpace(first) {
            // obs-fold: libcurl ignores the continuation, other readers do not.
            return flaw(of: last)
        }
        guard let colon = line.firstIndex(of: 0x3A) else {
            last = .other
            return nil
        }
        let name = line[..<colon]
        // A space before the colon hides a field from some readers (RFC 9112 §5.1).
        last = Self.name(Self.trimmed(name))
        if last != .other, name.last.map(Self.isSpace) == true { return flaw(of: last) }
        let value = Self.trimmed(line[(colon + 1)...])
        switch last {
        case .other: return nil
        case .transferEncoding:
            guard !isChunked, Self.equal(value, "chunked") else { return .transferCoding }
            isChunked = true
        case .contentLength:
            guard let length = Self.number(value), length == self.length ?? length else {
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
        if equal(bytes, "transfer-encoding") { return .transferEncoding }
        return equal(bytes, "content-length") ? .contentLength : .other
    }

    /// Digits only, and few enough for libcurl's signed 64 bits.
    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        guard (1...18).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        // Cannot trap: at most 18 digits, each of them one.
        return bytes.reduce(0) { $0 * 10 + UInt64($1 - 0x30) }
    }

    /// - Parameter name: in lower case.
    private static func equal(_ bytes: Slice<UnsafeRawBufferPointer>, _ name: StaticString) -> Bool {
        name.withUTF8Buffer { name in
            bytes.count == name.count
                && zip(bytes, name).allSatisfy { ((0x41...0x5A).contains($0) ? $0 | 0x20 : $0) == $1 }
        }
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes.drop { isSpace($0) || isLineEnd($0) }
        // Cannot trap: there is a last.
        while let last = bytes.last, isSpace(last) || isLineEnd(last) { bytes.removeLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    private static func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A }
}
