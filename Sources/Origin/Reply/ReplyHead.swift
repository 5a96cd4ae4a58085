// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The head of the final response of a hop, collected line by line. It fails closed: if a line about caching cannot be
/// understood, the fields say `no-store`.
///
/// libcurl has split the lines and checked the framing. It hands over interim responses (1xx), then the final
/// head, then trailers after the body. The status line of the next head starts over, an empty line ends a head, and lines after
/// a final head are ignored (RFC 9110 §6.5.1: trailers may not be merged into the head).
package struct ReplyHead {
    /// The state after one more line.
    package enum Progress: Equatable {
        case more, complete, tooLarge
        /// The body must not be read, because its end is uncertain, or because libcurl would decode it.
        case badFraming(ReplyFraming.Flaw)
    }

    private(set) var status = 0
    /// The valid fields so far of the latest head.
    package private(set) var fields = Fields()
    private(set) var isComplete = false
    private(set) var isMultiplexed = false
    /// True for HTTP/1.0.
    private var isOldVersion = false
    private var bytes = 0
    private var lines = 0
    private var framing = ReplyFraming()
    private let byteLimit: Int
    private let lineLimit: Int
    /// True between the status line and the empty line, where a line that looks like a status line is not one.
    private var isOpen = false
    /// True if the latest head has a line about caching or a redirect that cannot be understood.
    private var hidesRules = false
    /// The line that a folded line (obs-fold) would continue.
    private var last: FieldLine?

    /// The limits cover all heads of the hop and the trailers: their bytes, and their lines. libcurl keeps each line until the
    /// transfer ends, in ten times its bytes (curl_easy_header(3)).
    package init(byteLimit: Int, lineLimit: Int) {
        self.byteLimit = byteLimit
        self.lineLimit = lineLimit
    }

    /// True if the body is the picture. A 203 is a 200 that a proxy has transformed (RFC 9110 §15.3.4).
    var isPicture: Bool { status == 200 || status == 203 }

    /// Turns a 206 with the complete picture into a 200. Some servers answer so although no range was requested, which RFC 9110
    /// §15.3.7 does not provide for.
    /// - Parameter length: the length in bytes that the answer announces.
    mutating func takeWhole(length: Int?) {
        guard status == 206, let range = ContentRange(fields.combined("content-range") ?? ""),
            range.first == 0, range.count == range.total, length == range.total
        else { return }
        status = 200
        fields.remove("Content-Range")
    }

    /// Takes the head for one of HTTP/1.1, whatever its status line says, because its connection is one.
    mutating func takeForHTTP1() { isMultiplexed = false }

    /// True if the connection ends after this answer (RFC 9112 §9.3), or if its body ends with the connection.
    var isConnectionsLast: Bool {
        let options = fields.tokens("connection")
        if options.contains("close") { return true }
        if isOldVersion { return !options.contains("keep-alive") }
        return endsWithConnection
    }

    /// True if the body ends with the connection, because the head does not tell where (RFC 9112 §6.3 item 8).
    var endsWithConnection: Bool { !isMultiplexed && hasBody && !framing.isDelimited }

    /// RFC 9110 §6.4.1: these statuses have no body.
    private var hasBody: Bool { status != 204 && status != 304 }

    /// True if the head frames the body twice, or in chunks that its version does not know. Two servers on the path may believe
    /// different lengths (RFC 9112 §6.1, §6.3 item 3), so the connection serves no second request.
    var isFramingFaulty: Bool { framing.isTwofold || isOldVersion && framing.isChunked }

    /// Takes one line with its line end.
    package mutating func add(_ line: UnsafeRawBufferPointer) -> Progress {
        bytes += line.count
        lines += 1
        guard bytes <= byteLimit, lines <= lineLimit else { return .tooLarge }
        guard !isComplete else { return .more }
        if let flaw = framing.add(line) { return .badFraming(flaw) }
        let text = line[...].trimmed
        // An empty line is what libcurl takes for one: a line of spaces does not end a head.
        guard let first = line.first, !first.isLineEnd else {
            flush()
            isOpen = false
            isComplete = status >= 200
            if isComplete, hidesRules { forbidKeeping() }
            return isComplete ? .complete : .more
        }
        if !isOpen, line.starts(with: "HTTP/".utf8) {
            guard start(text) else { return .badFraming(.statusLine) }
            if status == 101 { return .badFraming(.otherProtocol) }
        } else if !isOpen {
            return .badFraming(.statusLine)
        } else if !first.isBlank {
            flush()
            last = FieldLine(text)
            if last == nil { lose(text) }
        } else if last != nil {
            last?.fold(text)
        } else {
            lose(text)
        }
        return .more
    }

    /// False if the line has no status.
    private mutating func start(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        fields = Fields()
        last = nil
        isOpen = true
        hidesRules = false
        isMultiplexed = line.starts(with: "HTTP/2".utf8)
        isOldVersion = line.starts(with: "HTTP/1.0".utf8)
        // "HTTP/1.1 200 OK", "HTTP/2 200": libcurl 8 and later take a tab for the space.
        let code = line.drop { !$0.isBlank }.dropFirst().prefix(3)
        guard code.count == 3, code.allSatisfy({ 0x30...0x39 ~= $0 }) else {
            status = 0
            return false
        }
        status = code.reduce(0) { $0 * 10 + Int($1) - 0x30 }
        return true
    }

    private mutating func flush() {
        guard let line = last.take() else { return }
        if line.isRiddle { hidesRules = true }
        if let field = line.field { fields.append(field.name, field.value) }
    }

    /// Drops a line that is not a field, so that it gets into no log, no store and no later request.
    private mutating func lose(_ line: Slice<UnsafeRawBufferPointer>) {
        if FieldLine.mayRule(line) { hidesRules = true }
    }

    /// Forbids storing the response, because the origin's own rules for that cannot be understood.
    private mutating func forbidKeeping() {
        for name in ["CDN-Cache-Control", "Expires"] { fields.remove(name) }
        fields.set("Cache-Control", "no-store")
        fields.set("Vary", "*")
    }
}
