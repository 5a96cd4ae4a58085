// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import RandomInputs
import Testing

@Suite("A header of the PROXY protocol names the client, or the connection is none of ours")
struct ProxyHeaderTests {
    private enum Outcome: Equatable {
        case incomplete
        case header(client: String?, length: Int)
        case refused(ProxyHeaderError)
    }

    private static func outcome(_ bytes: some Collection<UInt8>) -> Outcome {
        Array(bytes).withUnsafeBytes { bytes in
            do throws(ProxyHeaderError) {
                guard let header = try ProxyHeader.decode(bytes) else { return .incomplete }
                return .header(client: header.client?.description, length: header.length)
            } catch {
                return .refused(error)
            }
        }
    }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]

    private static func block(
        _ command: UInt8, _ kind: UInt8, _ payload: [UInt8], length: Int? = nil
    ) -> [UInt8] {
        let length = length ?? payload.count
        return signature + [command, kind, UInt8(length >> 8), UInt8(length & 255)] + payload
    }

    private static let four: [UInt8] = [192, 0, 2, 1, 198, 51, 100, 2, 0xDC, 0x04, 0x01, 0xBB]
    private static let six: [UInt8] =
        [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1] + Array(repeating: 2, count: 16)
        + [0xDC, 0x04, 0x01, 0xBB]

    private static let good: [(bytes: [UInt8], client: String?)] = [
        (Array("PROXY TCP4 192.0.2.1 198.51.100.2 56324 443\r\n".utf8), "192.0.2.1:56324"),
        (Array("PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n".utf8), "255.255.255.255:65535"),
        (Array("PROXY TCP6 2001:db8::1 ::2 56324 443\r\n".utf8), "[2001:db8::1]:56324"),
        (Array("PROXY TCP6 2001:DB8:0:0:0:0:0:1 ::2 1 2\r\n".utf8), "[2001:db8::1]:1"),
        // Written by a proxy that accepts IPv4 at an IPv6 socket.
        (Array("PROXY TCP6 ::ffff:192.0.2.1 ::ffff:192.0.2.2 1 2\r\n".utf8), "192.0.2.1:1"),
        (Array("PROXY UNKNOWN\r\n".utf8), nil),
        (Array("PROXY UNKNOWN whatever it \u{0}may say\r\n".utf8), nil),
        (Array("PROXY UNKNOWN \(String(repeating: "f", count: 91))\r\n".utf8), nil),
        (block(0x21, 0x11, four), "192.0.2.1:56324"),
        (block(0x21, 0x21, six), "[2001:db8::1]:56324"),
        // With additional information behind the addresses: ALPN, and a CRC that nobody checks.
        (block(0x21, 0x11, four + [1, 0, 2, 0x68, 0x32, 3, 0, 4, 1, 2, 3, 4]), "192.0.2.1:56324"),
        (block(0x21, 0x11, four + [UInt8](repeating: 4, count: 4096 - 16 - 12)), "192.0.2.1:56324"),
        // LOCAL: whatever comes with it is skipped unread.
        (block(0x20, 0x00, []), nil), (block(0x20, 0x11, four), nil), (block(0x20, 0xFF, [1, 2, 3]), nil),
        // Unspecified, a unix socket, datagrams: none of these names a client.
        (block(0x21, 0x00, []), nil), (block(0x21, 0x00, [9, 9]), nil), (block(0x21, 0x10, four), nil),
        (block(0x21, 0x12, four), nil), (block(0x21, 0x31, [UInt8](repeating: 0, count: 216)), nil),
    ]

    private static let bad: [(bytes: [UInt8], error: ProxyHeaderError)] =
        [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", ProxyHeaderError.missing), ("proxy TCP4", .missing),
            ("PROXY\tTCP4", .missing), ("\r\nGET / HTTP/1.1", .missing), ("X", .missing),
            ("PROXY \r\n", .badLine), ("PROXY TCP4\r\n", .badLine), ("PROXY UNKNOWNX\r\n", .badLine),
            ("PROXY TCP5 192.0.2.1 198.51.100.2 1 2\r\n", .badLine),
            ("PROXY tcp4 192.0.2.1 198.51.100.2 1 2\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1 2 3\r\n", .badLine),
            ("PROXY TCP4  192.0.2.1 198.51.100.2 1 2\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1 2 \r\n", .badLine),
            ("PROXY TCP4 192.0.2.01 198.51.100.2 1 2\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 01 2\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1 65536\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 -1 2\r\n", .badLine),
            ("PROXY TCP4 2001:db8::1 ::2 1 2\r\n", .badLine), ("PROXY TCP6 192.0.2.1 ::2 1 2\r\n", .badLine),
            ("PROXY TCP4 192.0.2.1 ::2 1 2\r\n", .badLine), ("PROXY TCP4 client.example a 1 2\r\n", .badLine),
            // §2.1: neither CR nor LF alone ends a line.
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1 2\n", .badLine),
            ("PROXY TCP4 192.0.2.1 198.51.100.2 1 2\rGET", .badLine), ("PROXY UNKNOWN\n\r\n", .badLine),
            ("PROXY UNKNOWN \(String(repeating: "f", count: 92))\r\n", .tooLong),
            ("PROXY UNKNOWN \(String(repeating: "f", count: 300))", .tooLong),
        ].map { (Array($0.utf8), $1) } + [
            (Array(signature.dropLast()) + [11], .missing),
            (block(0x11, 0x11, four), .badBlock), (block(0x22, 0x11, four), .badBlock),
            (block(0x31, 0x11, four), .badBlock), (block(0x2F, 0x00, []), .badBlock),
            (block(0x21, 0x41, four), .badBlock), (block(0x21, 0x13, four), .badBlock),
            // The block is too short for its addresses.
            (block(0x21, 0x11, Array(four.dropLast())), .badBlock),
            (block(0x21, 0x21, four), .badBlock), (block(0x21, 0x31, four), .badBlock),
            (block(0x21, 0x11, four, length: 4081), .tooLong),
            (block(0x20, 0x00, [], length: 65_535), .tooLong),
        ]

    @Test func `a header names its client, and ends where it ends`() {
        for (bytes, client) in Self.good {
            let next = Array("GET / HTTP/1.1\r\n".utf8)
            #expect(Self.outcome(bytes) == .header(client: client, length: bytes.count), "\(bytes)")
            #expect(Self.outcome(bytes + next) == .header(client: client, length: bytes.count), "\(bytes)")
        }
    }

    @Test func `anything else is refused`() {
        for (bytes, error) in Self.bad { #expect(Self.outcome(bytes) == .refused(error), "\(bytes)") }
    }

    @Test func `nothing is taken before all of it is there`() {
        for (bytes, _) in Self.good {
            for end in 0..<bytes.count { #expect(Self.outcome(bytes[..<end]) == .incomplete, "\(bytes)") }
        }
    }

    @Test func `a fault is the same however the bytes arrive, and stays one`() {
        for (bytes, error) in Self.bad {
            let outcomes = (0...bytes.count).map { Self.outcome(bytes[..<$0]) }
            let first = outcomes.firstIndex { $0 != .incomplete } ?? 0
            for outcome in outcomes[first...] { #expect(outcome == .refused(error), "\(bytes)") }
        }
    }

    @Test func `damaged headers are read alike whole and byte by byte`() {
        var random = SeededRandom(for: "ProxyHeader")
        for _ in 0..<500 {
            guard var bytes = (Self.good.map(\.bytes) + Self.bad.map(\.bytes)).randomElement(using: &random)
            else { continue }
            if bytes.count > 300 { bytes.removeLast(bytes.count - 300) }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            let whole = Self.outcome(bytes)
            let pieces = (1...bytes.count).lazy.map { Self.outcome(bytes[..<$0]) }
            #expect(pieces.first { $0 != .incomplete } ?? .incomplete == whole)
        }
    }
}
