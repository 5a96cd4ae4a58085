// SPDX-License-Identifier: Apache-2.0

import Clients
@testable import HTTPSemantics
import RandomInputs
import Testing

@Suite("An address of IPv4 is the same in IPv6, and a client is a network")
struct AddressFormTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test func `a mapped address is the address`() throws {
        for (text, plain) in [
            ("::ffff:192.0.2.1", "192.0.2.1"), ("::ffff:c000:201", "192.0.2.1"), ("::ffff:0:0", "0.0.0.0"),
            ("::ffff:ffff:ffff", "255.255.255.255"), ("192.0.2.1", "192.0.2.1"),
        ] {
            #expect(try address(text).unmapped == address(plain))
        }
        for text in [
            "::", "::1", "::fffe:192.0.2.1", "::1:ffff:192.0.2.1", "1::ffff:192.0.2.1", "::192.0.2.1",
            "::ffff:0:192.0.2.1",
        ] {
            #expect(try address(text).unmapped == address(text), "\(text)")
        }
    }

    @Test func `as a number it is the same, and comes back from it`() throws {
        #expect(try address("192.0.2.1").mapped == 0xFFFF_C000_0201)
        #expect(try address("1::2").mapped == 1 << 112 | 2)
        var random = SeededRandom(for: "AddressForm")
        for _ in 0..<2_000 {
            let four = IPAddress.v4(.random(in: 0...UInt32.max, using: &random))
            #expect(IPAddress(mapped: four.mapped) == four)
            let six = IPAddress.v6(
                .random(in: 1...UInt64.max, using: &random), .random(in: 0...UInt64.max, using: &random))
            #expect(IPAddress(mapped: six.mapped) == six)
        }
    }

    @Test func `a block holds exactly those that begin with its bits`() throws {
        var random = SeededRandom(for: "AddressForm")
        for _ in 0..<3_000 {
            let isFour = Bool.random(using: &random)
            let width = isFour ? 32 : 128
            let prefix = Int.random(in: 0...width, using: &random)
            func number() -> UInt128 { UInt128(random.next()) << 64 | UInt128(random.next()) }
            func value() -> UInt128 {
                isFour ? 0xFFFF_0000_0000 | number() & 0xFFFF_FFFF : number() | 1 << 127
            }
            // With a prefix of nothing every bit is free.
            let free: UInt128 = prefix == width ? 0 : UInt128.max >> (128 - UInt128(width - prefix))
            let base = value() & ~free
            let text = isFour ? spell(four: base) : spell(six: base)
            // The upper bit is set, so that no IPv6 address is a mapped one.
            guard let block = AddressBlock("\(text)/\(prefix)") else {
                Issue.record("\(text)/\(prefix)")
                continue
            }
            let flipped = base ^ 1 << UInt128(Int.random(in: 0..<width, using: &random))
            for other in [base, base | free, value(), flipped] {
                let expected = other & ~free == base
                guard isFour || other >> 127 == 1 || expected else { continue }
                #expect(
                    block.contains(IPAddress(mapped: other)) == expected,
                    "\(text)/\(prefix)")
            }
        }
    }

    private func spell(four value: UInt128) -> String {
        let number = UInt32(truncatingIfNeeded: value)
        let bytes: [UInt32] = [number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255]
        return bytes.map(String.init).joined(separator: ".")
    }

    private func spell(six value: UInt128) -> String {
        var groups: [String] = []
        var rest = value
        for _ in 0..<8 {
            groups.append(String(UInt16(truncatingIfNeeded: rest), radix: 16))
            rest >>= 16
        }
        return groups.reversed().joined(separator: ":")
    }

    @Test func `a client is an address of IPv4, or a network of IPv6`() throws {
        func key(_ text: String, _ prefix: Int = 64) throws -> ClientKey {
            try ClientKey(address(text), prefix: prefix)
        }
        #expect(try key("192.0.2.1") == key("::ffff:192.0.2.1"))
        #expect(try key("192.0.2.1") != key("192.0.2.2"))
        #expect(try key("192.0.2.1", 0) != key("192.0.2.2", 0))
        #expect(try key("2001:db8::1") == key("2001:db8::ffff:0:0:2"))
        #expect(try key("2001:db8::1") != key("2001:db8:0:1::1"))
        #expect(try key("2001:db8:0:1::1", 63) == key("2001:db8::1", 63))
        #expect(try key("2001:db8:0:2::1", 63) != key("2001:db8::1", 63))
        #expect(try key("2001:db8::1", 128) != key("2001:db8::2", 128))
        #expect(try key("2001:db8::1", 127) == key("2001:db8::", 127))
        #expect(try key("2001:db8::8000:0:0:0", 65) != key("2001:db8::1", 65))
        #expect(try key("::1", 0) == key("ffff::1", 0))
    }

    @Test func `behind a translator a client is its IPv4 address`() throws {
        func key(_ text: String) throws -> ClientKey { try ClientKey(address(text), prefix: 64) }
        #expect(try key("64:ff9b::192.0.2.1") == key("192.0.2.1"))
        #expect(try key("64:ff9b::192.0.2.1") != key("64:ff9b::192.0.2.2"))
        #expect(try key("64:ff9b::1:192.0.2.1") == key("64:ff9b::1:192.0.2.2"), "of another network")
        #expect(try key("64:ff9b:1::192.0.2.1") == key("64:ff9b:1::192.0.2.2"), "of another network")
    }

    @Test func `a peer is the client of its address, and none on a Unix socket`() throws {
        let peer = PeerAddress(try address("2001:db8::1"), port: 80)
        #expect(try ClientKey(peer, prefix: 64) == ClientKey(address("2001:db8::2"), prefix: 64))
        #expect(ClientKey(PeerAddress.local, prefix: 64) == nil)
    }

    // MARK: Ranges

    @Test func `a part of a representation lies within it`() {
        var random = SeededRandom(for: "AddressForm")
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...9, using: &random)
            let (first, last) = (
                Int.random(in: 0...11, using: &random), Int.random(in: 0...11, using: &random)
            )
            for text in ["bytes=\(first)-\(last)", "bytes=\(first)-", "bytes=-\(last)"] {
                guard let range = ByteRange(text) else {
                    #expect(first > last, "\(text)")
                    continue
                }
                let wanted: Set<Int> =
                    switch range {
                    case .positions(let first, let last): Set(first...max(first, last ?? 99))
                    case .suffix(let count): Set((length - count)..<length)
                    }
                let held = wanted.intersection(0..<length)
                switch range.resolve(length: length) {
                case .part(let part):
                    #expect(Set(part) == held && !part.isEmpty, "\(text) of \(length)")
                    let field = ContentRange(ByteRange.contentRange(part, of: length))
                    #expect(
                        field?.first == part.lowerBound && field?.count == part.count
                            && field?.total == length)
                case .unsatisfiable: #expect(held.isEmpty, "\(text) of \(length)")
                case .whole: #expect(length == 0 && text.hasPrefix("bytes=-"), "\(text) of \(length)")
                }
            }
        }
    }

    @Test func `a packed file may become two hundred times as large, or a mebibyte`() {
        let (kibi, mebi, limit) = (1 << 10, 1 << 20, 1 << 30)
        let rows: [(Int, Int, Int)] = [
            (0, limit, mebi), (1, limit, mebi), (5_242, limit, mebi), (5_243, limit, 1_048_600),
            (mebi, limit, 200 * mebi), (10 * mebi, limit, limit), (.max, limit, limit), (0, 9, 9),
            (kibi, limit, mebi),
        ]
        for (packed, limit, expected) in rows {
            #expect(ContentCoding.unpackedLimit(ofPacked: packed, limit: limit) == expected, "\(packed)")
        }
    }

    // MARK: Hops and ranges of media

    /// RFC 7239 §6.3: an underscore, then letters, digits, points, underscores and hyphens.
    @Test func `a port may be hidden behind letters, digits and three signs`() {
        let hiding = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-".utf8)
        for byte in UInt8(0)...255 {
            let hop = (Array("192.0.2.1:_".utf8) + [byte]).withUnsafeBytes { ForwardedHop(node: $0) }
            let expected: ForwardedHop =
                hiding.contains(byte) ? .address(.v4(0xC000_0201), port: 0) : .uncertain
            #expect(hop == expected, "\(byte)")
        }
        #expect("192.0.2.1:_".withFieldBytes { ForwardedHop(node: $0) } == .uncertain)
    }

    @Test(
        arguments: [
            ("1", 1), ("65535", 65_535), ("00080", 80), ("0", 0), ("65536", nil), ("000080", nil), ("", nil),
            ("8a", nil),
        ] as [(String, UInt16?)])
    func `a port has one to five digits`(digits: String, port: UInt16?) {
        let expected = port.map { ForwardedHop.address(.v4(0xC000_0201), port: $0) } ?? .uncertain
        #expect("192.0.2.1:\(digits)".withFieldBytes { ForwardedHop(node: $0) } == expected)
        #expect("192.0.2.1:\(digits)".withFieldBytes { ForwardedHop(element: $0) } == expected)
    }

    @Test(
        arguments: [
            (#"image/avif;q=1;x="a b""#, .avif), ("image/avif;q=1;x=a", .avif), ("image/avif;q=1;x", .avif),
            ("image/avif;q=1;x=", []), (#"image/avif;q=1;x="a"#, []), ("image/avif;q=1;=a", []),
            ("image/avif;x=a", []), ("image/avif;q=1;;", .avif), ("image/avif ; q=0.5 ; x=y", .avif),
            ("image/avif;q=0;x=y", []), ("image/avif;q=1;x=,image/webp", .webp),
        ] as [(String, AcceptClass)])
    func `what follows a weight has to be well formed, and says nothing`(text: String, expected: AcceptClass)
    {
        #expect(AcceptClass(text) == expected)
    }
}
