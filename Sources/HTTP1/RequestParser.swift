// SPDX-License-Identifier: Apache-2.0
//
// One pass over a request's head (RFC 9112 §2 to §5), byte by byte and never back. The parser is a value that stores its position and
// not the bytes, so it can stop at any byte and resume when the buffer has grown. It reports an error at the first wrong byte,
// however the head was split, because it always reads the same bytes in the same order.
//
//     start ─▶ method ─▶ target ─▶ version ─▶ lineStart ─▶ name ─▶ valueStart ─▶ value ─▶ valueEnd ─┐
//                                                │  ▲                                               │
//                                                ▼  └───────────────────────────────────────────────┘
//                                             headEnd ─▶ complete
//
// Lines must end with CRLF. RFC 9112 §2.2 lets a recipient accept a lone LF as a line end; it is refused here, because request
// smuggling is possible if a proxy in front sees one line where we see two.

internal import HTTPSemantics

/// Parses one request head from a buffer that begins with it and only grows between calls.
package struct RequestParser: Sendable {
    /// Whether the head is complete, or `parse` needs more bytes.
    package enum Progress: Sendable, Hashable { case incomplete, complete }

    enum Phase: UInt8, Sendable {
        case start, emptyLine, method, target, version, lineStart, name, valueStart, value, valueEnd, headEnd
        case complete
    }

    /// The head as far as it was parsed; complete once `parse` has returned `.complete`.
    package internal(set) var head = RequestHead()

    let limits: ParserLimits
    var phase = Phase.start
    /// Index of the next byte to read.
    var position = 0
    /// Index at which the current part began.
    var mark = 0
    private var emptyLines = 0
    /// True if the target has bytes from 0x80 on.
    var isTargetWide = false
    private var nameRange = ByteRun()
    private var valueStop = 0

    /// False before the first byte of the request line. Empty lines may precede it (RFC 9112 §2.2), and are no request.
    package var hasBegun: Bool { phase != .start && phase != .emptyLine }

    /// Creates a parser at the first byte of a head.
    package init(limits: ParserLimits) { self.limits = limits }

    /// Parses further bytes, from where the last call stopped.
    /// - Throws: for a head that breaks a rule or a limit; the parser must not be used after that.
    package mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> Progress {
        let limit = min(limits.headBytes, Int(UInt16.max))
        let input = UnsafeRawBufferPointer(rebasing: bytes.prefix(limit))
        while try step(input) { if phase == .complete { return .complete } }
        guard input.count == limit else { return .incomplete }
        throw phase == .target ? .targetTooLong : .headTooLarge
    }

    /// One step of the state machine; false when the bytes run out.
    @inline(__always)
    private mutating func step(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        switch phase {
        case .start: try skipEmptyLine(input)
        case .emptyLine: try expectLineFeed(input, then: .start, else: .badRequestLine)
        case .method: try scanMethod(input)
        case .target: try scanTarget(input)
        case .version: try scanVersion(input)
        case .lineStart: try beginLine(input)
        case .name: try scanName(input)
        case .valueStart: skipWhiteSpace(input)
        case .value: try scanValue(input)
        case .valueEnd: try endValue(input)
        case .headEnd: try endHead(input)
        case .complete: true
        }
    }

    private mutating func enter(_ next: Phase, at index: Int) {
        phase = next
        position = index
        mark = index
    }

    private mutating func expectLineFeed(
        _ input: UnsafeRawBufferPointer, then next: Phase, else error: MessageError
    ) throws(MessageError) -> Bool {
        guard position < input.count else { return false }
        guard input[position] == Byte.lineFeed else { throw error }
        enter(next, at: position + 1)
        return true
    }
}

// MARK: The request line (RFC 9112 §3)

extension RequestParser {
    /// RFC 9112 §2.2: a server should ignore at least one empty line before the request line. Two are
    /// ignored; a client that sends more is broken.
    private mutating func skipEmptyLine(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        guard position < input.count else { return false }
        guard input[position] == Byte.carriageReturn else {
            enter(.method, at: position)
            return true
        }
        emptyLines += 1
        guard emptyLines <= 2 else { throw .badRequestLine }
        enter(.emptyLine, at: position + 1)
        return true
    }

    private mutating func scanMethod(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        var index = position
        let stop = min(input.count, mark + limits.methodBytes + 1)
        while index < stop, input[index].isTokenByte { index += 1 }
        guard index < stop else {
            // RFC 9112 §3: the method is longer than any that is implemented.
            if stop == mark + limits.methodBytes + 1 { throw .methodNotImplemented }
            position = index
            return false
        }
        guard input[index] == Byte.space, index > mark else { throw .badRequestLine }
        head.methodRange = ByteRun(mark, index)
        head.method = try Self.method(head.methodRange.slice(of: input))
        enter(.target, at: index + 1)
        return true
    }

    /// Methods are case-sensitive (RFC 9110 §9.1).
    private static func method(_ bytes: UnsafeRawBufferPointer) throws(MessageError) -> Method {
        if equals(bytes, "GET") { return .get }
        if equals(bytes, "HEAD") { return .head }
        if equals(bytes, "OPTIONS") { return .options }
        // CONNECT requests a tunnel (RFC 9110 §9.3.6), which is not offered.
        if equals(bytes, "CONNECT") { throw .methodNotImplemented }
        return .other
    }

    private mutating func scanTarget(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        var index = position
        let stop = min(input.count, mark + limits.targetBytes + 1)
        while index < stop, ByteClass.isTarget(input[index]) { index += 1 }
        if index < stop, input[index] >= 0x80 { index = try skipWideBytes(input, from: index, to: stop) }
        guard index < stop else {
            if stop == mark + limits.targetBytes + 1 { throw .targetTooLong }
            position = index
            return false
        }
        guard input[index] == Byte.space else {
            throw input[index] == Byte.carriageReturn ? .badRequestLine : .badTarget
        }
        try checkWideBytes(UnsafeRawBufferPointer(rebasing: input[mark..<index]))
        try classifyTarget(ByteRun(mark, index), input)
        enter(.version, at: index + 1)
        return true
    }

    /// `HTTP/1.1` or `HTTP/1.0`, then CRLF. Other major versions are refused; a higher minor version counts
    /// as 1.1 (RFC 9110 §2.5).
    private mutating func scanVersion(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        while position < input.count {
            let byte = input[position]
            switch position - mark {
            case 0: guard byte == UInt8(ascii: "H") else { throw .badVersion }
            case 1, 2: guard byte == UInt8(ascii: "T") else { throw .badVersion }
            case 3: guard byte == UInt8(ascii: "P") else { throw .badVersion }
            case 4: guard byte == UInt8(ascii: "/") else { throw .badVersion }
            case 6: guard byte == UInt8(ascii: ".") else { throw .badVersion }
            case 5, 7: guard ByteClass.isDigit(byte) else { throw .badVersion }
            case 8:
                guard byte == Byte.carriageReturn else { throw .badVersion }
                let (major, minor) = (input[mark + 5], input[mark + 7])
                guard major == UInt8(ascii: "1") else {
                    throw major == UInt8(ascii: "0") ? .badVersion : .versionNotSupported
                }
                head.minorVersion = min(minor - UInt8(ascii: "0"), 1)
            default:
                guard byte == Byte.lineFeed else { throw .badRequestLine }
                head.fieldsStart = position + 1
                enter(.lineStart, at: position + 1)
                return true
            }
            position += 1
        }
        return false
    }
}

// MARK: Field lines (RFC 9112 §5)

extension RequestParser {
    private mutating func beginLine(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        guard position < input.count else { return false }
        switch input[position] {
        case Byte.carriageReturn:
            enter(.headEnd, at: position + 1)
        case Byte.space, Byte.tab:
            // RFC 9112 §5.2: a server that receives obs-fold rejects the message, or replaces it by spaces.
            // §2.2: white space before the first field is likewise refused.
            throw .foldedField
        default:
            guard head.fieldCount < limits.fields else { throw .tooManyFields }
            head.fieldCount += 1
            enter(.name, at: position)
        }
        return true
    }

    private mutating func scanName(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        var index = position
        while index < input.count, input[index].isTokenByte { index += 1 }
        position = index
        guard index < input.count else { return false }
        // RFC 9112 §5.1: a message with white space between a name and its colon is refused.
        guard input[index] == UInt8(ascii: ":"), index > mark else { throw .badField }
        nameRange = ByteRun(mark, index)
        enter(.valueStart, at: index + 1)
        return true
    }

    private mutating func skipWhiteSpace(_ input: UnsafeRawBufferPointer) -> Bool {
        while position < input.count {
            let byte = input[position]
            guard ByteClass.isSpace(byte) else {
                enter(.value, at: position)
                return true
            }
            position += 1
        }
        return false
    }

    /// Field content (RFC 9110 §5.5): HTAB, visible ASCII, space and bytes from 0x80. It ends at CR; any other
    /// control byte, LF and NUL among them, is refused.
    private mutating func scanValue(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        position = ByteClass.endOfText(input, from: position)
        guard position < input.count else { return false }
        guard input[position] == Byte.carriageReturn else { throw .badField }
        valueStop = position
        phase = .valueEnd
        position += 1
        return true
    }

    private mutating func endValue(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        guard position < input.count else { return false }
        // RFC 9112 §2.2: a bare CR makes the message invalid.
        guard input[position] == Byte.lineFeed else { throw .badField }
        var stop = valueStop
        while stop > mark, ByteClass.isSpace(input[stop - 1]) { stop -= 1 }
        if let field = KnownField.find(nameRange.slice(of: input)) {
            try accept(field, ByteRun(mark, stop), input)
        }
        enter(.lineStart, at: position + 1)
        return true
    }

    private mutating func endHead(_ input: UnsafeRawBufferPointer) throws(MessageError) -> Bool {
        guard try expectLineFeed(input, then: .complete, else: .badField) else { return false }
        head.length = position
        try finish()
        return true
    }
}
