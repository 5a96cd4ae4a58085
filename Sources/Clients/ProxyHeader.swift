// SPDX-License-Identifier: Apache-2.0
//
// The PROXY protocol, versions 1 and 2 (haproxy.org, doc/proxy-protocol.txt): a TCP proxy names its client
// once, before the first byte of the connection.
//
//     1   PROXY TCP4 192.0.2.1 198.51.100.2 56324 443 CRLF         at most 107 bytes
//     2   0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A │ version, command │ family, protocol │ length (2) │ addresses │ TLVs
//         0                                   │ 12               │ 13               │ 14         │ 16

internal import Bytes
internal import HTTPSemantics

/// The PROXY header in front of a connection's first request.
package struct ProxyHeader: Sendable, Hashable {
    /// The client's address; nil if the proxy speaks for itself (a health check) or knows no address. The
    /// connection's peer counts as the client then.
    package let client: PeerAddress?
    /// Bytes of the header.
    package let length: Int

    /// The longest line of version 1, its CRLF included (§2.1).
    package static let longestLine = 107

    /// Bytes of the longest accepted version 2 header, with its additional information (TLVs), which is skipped. The specification
    /// wants it within a segment of 536 bytes; nginx accepts 4 KiB as well.
    package static let longestBlock = 4096

    /// Decodes the header at the start of a connection; nil until all of it has arrived.
    /// - Throws: at the first byte that fits no header.
    package static func decode(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
        // Cannot trap: a constant of twelve bytes.
        if bytes.first == signature[0] { return try block(bytes) }
        return try line(bytes)
    }
}

/// Reasons to close a connection before its first request.
package enum ProxyHeaderError: Error, Sendable, Hashable, CaseIterable {
    /// The connection begins with something other than a PROXY header.
    case missing
    /// §2.1: the line does not follow the grammar.
    case badLine
    /// §2.2: an unknown version, command, family or protocol, or too few bytes for the addresses.
    case badBlock
    case tooLong
}

// MARK: Version 1 (§2.1)

extension ProxyHeader {
    private static let word = Array("PROXY ".utf8)

    private static func line(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
        guard zip(bytes, word).allSatisfy({ $0 == $1 }) else { throw .missing }
        let room = bytes.prefix(longestLine)
        // The line is decoded once its CRLF has arrived; neither CR nor LF alone ends it.
        guard let end = room.firstIndex(where: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") })
        else {
            if room.count == longestLine { throw .tooLong }
            return nil
        }
        guard bytes[end] == UInt8(ascii: "\r") else { throw .badLine }
        guard end + 1 < longestLine else { throw .tooLong }
        guard end + 1 < bytes.count else { return nil }
        guard bytes[end + 1] == UInt8(ascii: "\n"), end > word.count else { throw .badLine }
        let text = UnsafeRawBufferPointer(rebasing: bytes[word.count..<end])
        return ProxyHeader(client: try client(inLine: text), length: end + 2)
    }

    private static func client(
        inLine text: UnsafeRawBufferPointer
    ) throws(ProxyHeaderError) -> PeerAddress? {
        let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { UnsafeRawBufferPointer(rebasing: $0) }
        // §2.1: the rest of an UNKNOWN line is ignored.
        // Cannot trap: empty parts are kept, so there is at least one.
        if parts[0].elementsEqual("UNKNOWN".utf8) { return nil }
        guard parts.count == 5, let source = IPAddress(parts[1]), let target = IPAddress(parts[2]),
            let port = number(parts[3]), number(parts[4]) != nil
        else { throw .badLine }
        switch (source, target) {
        case (.v4, .v4) where parts[0].elementsEqual("TCP4".utf8): break
        case (.v6, .v6) where parts[0].elementsEqual("TCP6".utf8): break
        default: throw .badLine
        }
        return PeerAddress(source, port: port)
    }

    /// Reads a decimal number without leading zeros.
    private static func number(_ text: UnsafeRawBufferPointer) -> UInt16? {
        guard (1...5).contains(text.count), text.allSatisfy(\.isASCIIDigit),
            text.count == 1 || text[0] != UInt8(ascii: "0")
        else { return nil }
        return UInt16(exactly: Int(saturatingDecimal: text))
    }
}

// MARK: Version 2 (§2.2)

extension ProxyHeader {
    private static let signature: [UInt8] = [
        0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
    ]
    /// Bytes of the signature, version and command, family and protocol, and length.
    private static let fixed = 16

    private static func block(_ bytes: UnsafeRawBufferPointer) throws(ProxyHeaderError) -> ProxyHeader? {
        guard zip(bytes, signature).allSatisfy({ $0 == $1 }) else { throw .missing }
        if bytes.count > 12 { guard [0x20, 0x21].contains(bytes[12]) else { throw .badBlock } }
        let isLocal = bytes.count > 12 && bytes[12] == 0x20
        // With LOCAL, everything after the command is skipped unread, including the family.
        if bytes.count > 13, !isLocal {
            guard bytes[13] >> 4 <= 3, bytes[13] & 15 <= 2 else { throw .badBlock }
        }
        guard bytes.count >= fixed else { return nil }
        let length = Int(bytes[14]) << 8 | Int(bytes[15])
        guard fixed + length <= longestBlock else { throw .tooLong }
        guard isLocal || length >= addressBytes(bytes[13]) else { throw .badBlock }
        guard bytes.count >= fixed + length else { return nil }
        return ProxyHeader(client: isLocal ? nil : client(inBlock: bytes), length: fixed + length)
    }

    /// Bytes of both addresses and ports, by family and protocol.
    private static func addressBytes(_ kind: UInt8) -> Int {
        switch kind >> 4 {
        case 1: 2 * 4 + 2 * 2
        case 2: 2 * 16 + 2 * 2
        case 3: 2 * 108
        default: 0
        }
    }

    /// The client of a TCP connection; nil for anything else, which counts as unspecified (§2.2 allows that).
    private static func client(inBlock bytes: UnsafeRawBufferPointer) -> PeerAddress? {
        func number<Value: FixedWidthInteger>(_ type: Value.Type, at offset: Int) -> Value {
            Value(bigEndian: bytes.loadUnaligned(fromByteOffset: fixed + offset, as: type))
        }
        // Cannot trap: `block` has checked the 16 fixed bytes and the addresses after them.
        switch bytes[13] {
        case 0x11: return PeerAddress(ipv4: number(UInt32.self, at: 0), port: number(UInt16.self, at: 8))
        case 0x21:
            let address = IPAddress.v6(number(UInt64.self, at: 0), number(UInt64.self, at: 8))
            return PeerAddress(address, port: number(UInt16.self, at: 32))
        default: return nil
        }
    }
}
