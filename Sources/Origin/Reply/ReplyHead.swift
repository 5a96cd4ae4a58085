// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The head of the final response of a hop, collected line by line.
///
/// libcurl has split the lines and checked the framing. It hands over interim responses (1xx), then the final
/// head, then trailers after the body. A status line starts over, an empty line ends a head, and lines after
/// a final head are ignored (RFC 9110 §6.5.1: trailers may not be merged into the head).
package struct ReplyHead {
    /// The state after one more line.
    package enum Progress: Equatable {
        case more, complete, tooLarge
        /// The end of the body is uncertain, or libcurl would decode the body: it must not be read.
        case badFraming(Framing.Flaw)
    }

    private(set) var status = 0
    /// Valid fields so far, of the last head that began.
    package private(set) var fields = Fields()
    private(set) var isComplete = false
    private(set) var isMultiplexed = false
    /// True for HTTP/1.0.
    private var isOldVersion = false
    private var bytes = 0
    private var lines = 0
    private var framing = Framing()
    private let byteLimit: Int
    private let lineLimit: Int
    /// The field that an obsolete folded line would continue.
    private var last: Fields.Field?

    /// The limits cover all heads of the hop: their bytes, and their lines.
    package init(byteLimit: Int, lineLimit: Int) {
        self.byteLimit = byteLimit
        self.lineLimit = lineLimit
    }

    /// True if the body is the picture. A 203 is a 200 that a proxy has altered (RFC 9110 §15.3.4).
    var isPicture: Bool { status == 200 || status == 203 }

    /// True if the connection ends after this answer (RFC 9112 §9.3), or its body ends with the connection.
    var isConnectionsLast: Bool {
        let options = fields.combined("connection")?.lowercased().split {
            $0 == "," || $0 == " " || $0 == "\t"
        }
        if options?.contains("close") == true { return true }
        if isOldVersion { return options?.contains("keep-alive") != true }
        return !isMultiplexed && hasBody && !framing.isDelimited
    }

    /// RFC 9110 §6.4.1.
    private var hasBody: Bool { status != 204 && status != 304 }

    /// True if the head frames the body twice. Two servers on the path may each believe another length (RFC
    /// 9112 §6.3 item 3), so the connection serves no second request.
    var isFramedTwice: Bool { framing.isTwofold }

    /// Takes one line with its line end.
    package mutating func add(_ line: UnsafeRawBufferPointer) -> Progress {
        guard !isComplete else { return .more }
        bytes += line.count
        lines += 1
        guard bytes <= byteLimit, lines <= lineLimit else { return .tooLarge }
        if let flaw = framing.add(line) { return .badFraming(flaw) }
        let text = Self.trimmed(line[...])
        if text.isEmpty {
            flush()
            isComplete = status >= 200
            return isComplete ? .complete : .more
        }
        if line.starts(with: "HTTP/".utf8) {
            start(text)
        } else if Self.isSpace(line[0]) {
            // RFC 9112 §5.2: a user agent replaces obsolete line folding by a space.
            if let part = Self.text(text) { last?.value += " " + part } else { last = nil }
        } else {
            flush()
            last = Self.field(text)
        }
        return .more
    }

    private mutating func start(_ line: Slice<UnsafeRawBufferPointer>) {
        fields = Fields()
        last = nil
        isMultiplexed = line.starts(with: "HTTP/2".utf8)
        isOldVersion = line.starts(with: "HTTP/1.0".utf8)
        // "HTTP/1.1 200 OK", "HTTP/2 200": libcurl has verified the form.
        let code = line.drop { $0 != 0x20 }.dropFirst().prefix(3)
        status = code.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private mutating func flush() {
        if let field = last { fields.append(field.name, field.value) }
        last = nil
    }

    /// Nil for a line that is no field by RFC 9110 §5.1 and §5.5; it is dropped, so that it reaches no log,
    /// no store and no later request.
    private static func field(_ line: Slice<UnsafeRawBufferPointer>) -> Fields.Field? {
        guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenByte), let value = text(trimmed(line[(colon + 1)...]))
        else { return nil }
        return Fields.Field(String(decoding: line[..<colon], as: UTF8.self), value)
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String? {
        guard bytes.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else { return nil }
        return String(validating: UnsafeRawBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer> {
        var bytes = bytes.drop(while: isSpace)
        // Cannot trap: there is a last.
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
