// SPDX-License-Identifier: Apache-2.0
//
// Decodes a request body's framing (RFC 9112 §6, §7.1). It can stop at any byte, as the head's parser can;
// unlike that parser, it consumes its input.
//
//     sizeStart ─▶ size ─▶ (extension) ─▶ sizeEnd ─▶ data ─▶ dataCR ─▶ dataLF ─▶ sizeStart
//                                           └─ size 0 ─▶ trailerStart ─▶ trailerName ─▶ trailerValue ─▶ trailerEnd ─┐
//                                                          │   ▲                                                    │
//                                                          ▼   └────────────────────────────────────────────────────┘
//                                                        bodyEnd ─▶ complete

internal import HTTPSemantics

/// Removes the framing of one request body, chunked or of known length.
package struct BodyDecoder: Sendable {
    private enum Phase: UInt8, Sendable {
        case fixed
        case sizeStart, size, chunkExtension, quoted, escaped, sizeEnd
        case data, dataCR, dataLF
        case trailerStart, trailerName, trailerValue, trailerEnd, bodyEnd
        case complete
    }

    private let limits: ParserLimits
    private var phase: Phase
    /// Bytes of content still to come: of the chunk, or of the whole body if its length is known.
    private var remaining = 0
    private var content = 0
    private var overhead = 0
    private var trailerName: [UInt8] = []

    /// - Throws: `bodyTooLarge` for a declared length over the limit, before a byte of the body is read.
    package init(_ framing: Framing, limits: ParserLimits) throws(MessageError) {
        self.limits = limits
        switch framing {
        case .none: phase = .complete
        case .chunked: phase = .sizeStart
        case .length(let length):
            guard length <= limits.bodyBytes else { throw .bodyTooLarge }
            phase = .fixed
            remaining = length
        }
    }

    /// True once the whole body has been consumed; at once for a request without one.
    package var isComplete: Bool { phase == .complete }

    /// Consumes the front of `bytes`, passes runs of content to `sink`, and returns the number of bytes consumed: all of them, unless
    /// the body ends before.
    /// - Throws: for bad framing, or a body over a limit; the decoder must not be used after that.
    package mutating func decode(
        _ bytes: UnsafeRawBufferPointer, sink: (UnsafeRawBufferPointer) -> Void
    ) throws(MessageError) -> Int {
        var index = 0
        while index < bytes.count, phase != .complete {
            if phase == .data || phase == .fixed {
                let count = min(remaining, bytes.count - index)
                sink(UnsafeRawBufferPointer(rebasing: bytes[index..<(index + count)]))
                index += count
                remaining -= count
                if remaining == 0 { phase = phase == .data ? .dataCR : .complete }
            } else {
                overhead += 1
                guard overhead <= limits.chunkOverheadBytes else { throw .bodyTooLarge }
                try step(bytes[index])
                index += 1
            }
        }
        return index
    }

    private mutating func step(_ byte: UInt8) throws(MessageError) {
        switch phase {
        case .sizeStart, .size: try size(byte)
        case .chunkExtension, .quoted, .escaped: try chunkExtension(byte)
        case .sizeEnd: try endSize(byte)
        case .dataCR: try expect(byte, Byte.carriageReturn, then: .dataLF, else: .badChunk)
        case .dataLF: try expect(byte, Byte.lineFeed, then: .sizeStart, else: .badChunk)
        case .trailerStart, .trailerName, .trailerValue: try trailer(byte)
        case .trailerEnd: try expect(byte, Byte.lineFeed, then: .trailerStart, else: .badTrailer)
        case .bodyEnd: try expect(byte, Byte.lineFeed, then: .complete, else: .badTrailer)
        case .fixed, .data, .complete: break
        }
    }

    private mutating func expect(
        _ byte: UInt8, _ wanted: UInt8, then next: Phase, else error: MessageError
    ) throws(MessageError) {
        guard byte == wanted else { throw error }
        phase = next
    }

    /// A chunk's size (RFC 9112 §7.1): one or more hexadecimal digits, without sign, prefix or white space.
    private mutating func size(_ byte: UInt8) throws(MessageError) {
        if ByteClass.isHexadecimal(byte) {
            let digit = byte <= UInt8(ascii: "9") ? byte - UInt8(ascii: "0") : (byte | 0x20) - 87
            remaining = remaining * 16 + Int(digit)
            guard remaining <= limits.bodyBytes - content else { throw .bodyTooLarge }
            phase = .size
            return
        }
        guard phase == .size else { throw .badChunk }
        switch byte {
        case Byte.carriageReturn: phase = .sizeEnd
        case UInt8(ascii: ";"): phase = .chunkExtension
        default: throw .badChunk
        }
    }

    /// RFC 9112 §7.1.1: unknown extensions are ignored, but they must be well-formed: tokens and quoted
    /// strings, without a line end that another parser could take for the size line's.
    private mutating func chunkExtension(_ byte: UInt8) throws(MessageError) {
        switch (phase, byte) {
        case (.chunkExtension, Byte.carriageReturn): phase = .sizeEnd
        case (.chunkExtension, UInt8(ascii: "\"")): phase = .quoted
        case (.chunkExtension, UInt8(ascii: ";")), (.chunkExtension, UInt8(ascii: "=")): break
        case (.chunkExtension, _): guard byte.isTokenByte else { throw .badChunk }
        case (.quoted, UInt8(ascii: "\"")): phase = .chunkExtension
        case (.quoted, UInt8(ascii: "\\")): phase = .escaped
        default:
            guard ByteClass.isText(byte) else { throw .badChunk }
            phase = .quoted
        }
    }

    private mutating func endSize(_ byte: UInt8) throws(MessageError) {
        try expect(byte, Byte.lineFeed, then: remaining == 0 ? .trailerStart : .data, else: .badChunk)
        content += remaining
    }

    /// RFC 9110 §6.5.1: trailers are read and dropped. A known field as trailer is refused, because it would
    /// change the framing, the routing or the meaning of the message.
    private mutating func trailer(_ byte: UInt8) throws(MessageError) {
        switch (phase, byte) {
        case (.trailerStart, Byte.carriageReturn): phase = .bodyEnd
        case (.trailerName, UInt8(ascii: ":")):
            guard trailerName.withUnsafeBytes({ KnownField.find($0) }) == nil else { throw .badTrailer }
            phase = .trailerValue
        case (.trailerStart, _), (.trailerName, _):
            guard byte.isTokenByte else { throw .badTrailer }
            if phase == .trailerStart { trailerName.removeAll(keepingCapacity: true) }
            trailerName.append(byte)
            phase = .trailerName
        case (_, Byte.carriageReturn): phase = .trailerEnd
        default: guard ByteClass.isText(byte) else { throw .badTrailer }
        }
    }
}
