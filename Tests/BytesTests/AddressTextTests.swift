// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import RandomInputs
import Testing

@Suite("An address is read as the C library reads it, and without it")
struct AddressTextTests {
    private enum Address: Hashable {
        case v4(UInt32)
        case v6(UInt128)
    }

    private func read(_ text: String) -> Address? {
        var text = text
        return text.withUTF8 { utf8 in
            let bytes = UnsafeRawBufferPointer(utf8)
            let (four, six) = (AddressText.v4(bytes), AddressText.v6(bytes))
            #expect(four == nil || six == nil, "no text is both")
            return four.map { .v4($0) } ?? six.map { .v6($0) }
        }
    }

    /// Reads an address by inet_pton(3), which rejects the sloppy forms as well.
    private static func known(_ text: String) -> Address? {
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 { return .v4(UInt32(bigEndian: four.s_addr)) }
        guard inet_pton(AF_INET6, text, &six) == 1 else { return nil }
        return withUnsafeBytes(of: &six) { .v6(UInt128(bigEndian: $0.loadUnaligned(as: UInt128.self))) }
    }

    @Test(arguments: [
        "192.0.2.1", "0.0.0.0", "255.255.255.255", "::", "::1", "2001:db8::1", "2001:DB8:0:0:0:0:0:1",
        "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:192.0.2.1",
        "64:ff9b::192.0.2.33", "fe80::1", "0001:0002:0003:0004:0005:0006:0007:0008",
    ])
    func `what is an address is read`(text: String) {
        #expect(read(text) == Self.known(text))
        #expect(read(text) != nil)
    }

    @Test(arguments: [
        "", ".", ":", ":::", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "01.2.3.4", "1.2.3.04", "1..2.3",
        "1.2.3.4 ",
        " 1.2.3.4", "1.2.3.4:80", "0x7f.0.0.1", "2130706433", "+1.2.3.4", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1::2::3", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "g::", "1:", ":1", "1::2:", "::1.2.3",
        "::1.2.3.4.5", "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "[::1]", "fe80::1%eth0", "::1/128", "1 ::2",
    ])
    func `what is none is not`(text: String) {
        #expect(read(text) == nil)
        #expect(Self.known(text) == nil)
    }

    @Test func `whatever is made of an address' letters is read alike`() {
        var random = SeededRandom(for: "AddressText")
        for round in 0..<10_000 {
            let alphabet = Array(round % 2 == 0 ? "0125.:" : "0af:::.")
            let text = String(
                (0..<Int.random(in: 0...22, using: &random)).map { _ in
                    random.chance(3) ? "g" : alphabet.randomElement(using: &random) ?? "0"
                })
            #expect(read(text) == Self.known(text), "\(text)")
        }
    }

    @Test func `an address survives its spelling`() {
        var random = SeededRandom(for: "AddressText")
        for _ in 0..<3000 {
            // Half of the groups are zero, so that "::" occurs.
            let groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt16.random(in: 0...UInt16.max, using: &random)
            }
            let value = groups.reduce(UInt128(0)) { $0 << 16 | UInt128($1) }
            var bytes = value.bigEndian
            var text = [CChar](repeating: 0, count: 46)
            inet_ntop(AF_INET6, &bytes, &text, socklen_t(text.count))
            let spelled = String(decoding: text.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
            #expect(read(spelled) == .v6(value), "\(spelled)")
            // inet_ntop(3) ends some addresses with a dotted quad, which RFC 5952 §5 permits.
            if !spelled.contains(".") { #expect(AddressText.text(v6: value) == spelled) }
            let four = UInt32(truncatingIfNeeded: value)
            #expect(read(AddressText.text(v4: four)) == .v4(four))
        }
    }
}
