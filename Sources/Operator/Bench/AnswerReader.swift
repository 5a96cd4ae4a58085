// SPDX-License-Identifier: Apache-2.0
//
// Reads one answer to a GET (RFC 9112 §4, §6.3). It can stop at any byte.
//
//     status ─▶ fields ─┬▶ length ───────────────────────────────────────┬▶ complete
//        ▲        │     ├▶ chunkSize ─▶ chunk ─▶ chunkEnd ─▶ (chunkSize)   │
//        └─ 1xx ──┘     │      └─ 0 ─▶ trailers ──────────────────────────┤
//                       └▶ untilClose ─ the connection's end ─────────────┘

/// Parses one answer: its status, fields and size. The content is counted and dropped.
package struct AnswerReader: Sendable {
    /// The answer is not HTTP.
    package struct Malformed: Error {}

    private enum Phase: Sendable {
        case status, fields
        case length(Int)
        case chunkSize
        case chunk(Int)
        case chunkEnd, trailers, untilClose, complete
    }

    private static let longestLine = 16_384
    private static let mostLines = 1_024

    private var phase = Phase.status
    private var line: [UInt8] = []
    private var lines = 0
    private var length: Int?
    private var isChunked = false
    private var isHTTP10 = false

    /// The status code; 0 until it is known.
    package private(set) var status = 0
    /// The fields in their order, with names in lower case.
    package private(set) var fields: [(name: String, value: String)] = []
    /// Bytes of content, without chunk framing.
    package private(set) var bodyBytes = 0

    package init() {}

    /// True once the whole answer was read.
    package var isComplete: Bool { if case .complete = phase { true } else { false } }

    /// True if the connection may be used again after this answer.
    package private(set) var keepsAlive = true

    /// The value of the first field of this name, in lower case.
    package func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// - Returns: how many of the bytes belong to this answer: all, unless the answer ends before.
    package mutating func take(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> Int {
        var rest = bytes
        while !rest.isEmpty, !isComplete {
            switch phase {
            case .length(let left):
                let count = skip(left, of: &rest)
                phase = count == left ? .complete : .length(left - count)
            case .chunk(let left):
                let count = skip(left, of: &rest)
                phase = count == left ? .chunkEnd : .chunk(left - count)
            case .untilClose: _ = skip(rest.count, of: &rest)
            case .status, .fields, .chunkSize, .chunkEnd, .trailers:
                guard let text = try nextLine(&rest) else { break }
                try read(text)
            case .complete: break
            }
        }
        return bytes.count - rest.count
    }

    /// Notes that the connection has ended.
    /// - Returns: false if the answer is cut short.
    package mutating func end() -> Bool {
        if case .untilClose = phase { phase = .complete }
        return isComplete
    }

    private mutating func skip(_ left: Int, of rest: inout ArraySlice<UInt8>) -> Int {
        let count = min(left, rest.count)
        rest = rest.dropFirst(count)
        bodyBytes += count
        return count
    }

    /// The next complete line; nil if its end is still to come.
    private mutating func nextLine(_ rest: inout ArraySlice<UInt8>) throws(Malformed) -> String? {
        let end = rest.firstIndex(of: 0x0A)
        line += rest[..<(end ?? rest.endIndex)]
        guard line.count <= Self.longestLine else { throw Malformed() }
        guard let end else {
            rest = []
            return nil
        }
        rest = rest[(end + 1)...]
        if line.last == 0x0D { _ = line.popLast() }
        defer { line = [] }
        return String(decoding: line, as: UTF8.self)
    }

    private mutating func read(_ text: String) throws(Malformed) {
        switch phase {
        case .status: try readStatus(text)
        case .fields:
            lines += 1
            guard lines <= Self.mostLines else { throw Malformed() }
            if text.isEmpty { endHead() } else { try readField(text) }
        case .chunkSize:
            let digits = text.prefix { $0.isHexDigit }
            guard let size = Int(digits, radix: 16) else { throw Malformed() }
            phase = size == 0 ? .trailers : .chunk(size)
        case .chunkEnd:
            guard text.isEmpty else { throw Malformed() }
            phase = .chunkSize
        case .trailers:
            lines += 1
            guard lines <= Self.mostLines else { throw Malformed() }
            if text.isEmpty { phase = .complete }
        case .length, .chunk, .untilClose, .complete: break
        }
    }

    private mutating func readStatus(_ text: String) throws(Malformed) {
        let words = text.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), words[1].count == 3, let code = Int(words[1]),
            code >= 100
        else { throw Malformed() }
        status = code
        isHTTP10 = words[0] == "HTTP/1.0"
        phase = .fields
    }

    private mutating func readField(_ text: String) throws(Malformed) {
        guard let colon = text.firstIndex(of: ":") else { throw Malformed() }
        let name = text[..<colon].lowercased()
        let value = text[text.index(after: colon)...].trimmed
        fields.append((name, value))
        switch name {
        case "content-length":
            guard let number = Int(value), number >= 0, length == nil || length == number else {
                throw Malformed()
            }
            length = number
        case "transfer-encoding": isChunked = value.lowercased().hasSuffix("chunked")
        default: break
        }
    }

    private mutating func endHead() {
        if status < 200 {
            self = AnswerReader()
            return
        }
        let connection = field("connection")?.lowercased() ?? ""
        keepsAlive = isHTTP10 ? connection.contains("keep-alive") : !connection.contains("close")
        if status == 204 || status == 304 {
            phase = .complete
        } else if isChunked {
            phase = .chunkSize
        } else if let length {
            phase = length == 0 ? .complete : .length(length)
        } else {
            phase = .untilClose
            keepsAlive = false
        }
    }
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let rest = drop(while: isSpace)
        guard let end = rest.lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(rest[...end])
    }
}
