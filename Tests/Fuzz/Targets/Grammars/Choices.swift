// SPDX-License-Identifier: Apache-2.0

/// The fuzzer's bytes as decisions: each takes the next one, and a stream that has ended decides for the first of
/// everything. What a grammar makes by them is nearly right, which random bytes almost never are, and the fuzzer's own
/// mutations change one decision at a time.
struct Choices {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: UnsafeRawBufferPointer) { rest = Array(bytes)[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    /// - Parameter limit: 1…65,536.
    mutating func number(below limit: Int) -> Int {
        let low = Int(byte())
        return (limit > 256 ? low << 8 | Int(byte()) : low) % max(limit, 1)
    }

    mutating func chance(_ percent: Int) -> Bool { number(below: 100) < percent }

    /// - Parameter list: not empty.
    mutating func pick<Value>(_ list: [Value]) -> Value { list[number(below: list.count)] }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in byte() } }

    /// A text of a few productions.
    mutating func text(upTo count: Int, _ part: (inout Choices) -> String) -> String {
        var text = ""
        for _ in 0..<number(below: count + 1) { text += part(&self) }
        return text
    }
}

// MARK: Odd numbers

extension Choices {
    private static let oddTexts = [
        "1", "0", "-0", "-1", "2", "9", "10", "100", "255", "256", "16384", "16385", "65535", "65536",
        "2147483647",
        "2147483648", "-2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "18446744073709551615", "18446744073709551616",
        "340282366920938463463374607431768211456", "inf", "-inf", "+inf", "infinity", "nan", "-nan",
        "NaN(0x1)",
        "1e308", "1.8e308", "1e309", "-1e309", "1e-323", "4.9e-324", "1e-400", "0x1p1023", "0x1p1024", "0x10",
        "0.0001", "0.00001", "0.5", ".5", "5.", ".", "1e", "e1", "1e5", "--1", "+1", "1_000", " 1", "1 ", "",
        "007",
        "\u{0663}", "1\u{0301}", "999999999999999", "1000000000000000",
    ]

    /// A number as nobody writes it, or nearly.
    mutating func oddText() -> String {
        switch number(below: 4) {
        case 0: String(number(below: 65_536))
        case 1: "\(chance(20) ? "-" : "")\(number(below: 1_000)).\(number(below: 10_000))"
        default: pick(Self.oddTexts)
        }
    }

    private static let odd: [UInt64] = [
        1, 0, 2, 3, 4, 7, 8, 9, 12, 13, 16, 20, 40, 64, 0x7F, 0x80, 0xFF, 0x100, 0x7FFF, 0x8000, 0xFFFE,
        0xFFFF,
        0x1_0000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 0x1_0000_0000, 0x7FFF_FFFF_FFFF_FFFE,
        0x7FFF_FFFF_FFFF_FFFF, 0x8000_0000_0000_0000, .max,
    ]

    /// An edge of some width, or a small number.
    mutating func oddNumber() -> UInt64 {
        chance(50) ? UInt64(number(below: 65_536)) : pick(Self.odd)
    }

    /// The lowest bytes of an odd number.
    mutating func oddBytes(_ width: Int, bigEndian: Bool) -> [UInt8] {
        Self.bytes(oddNumber(), width, bigEndian: bigEndian)
    }

    static func bytes(_ number: UInt64, _ width: Int, bigEndian: Bool) -> [UInt8] {
        let little = (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
        return bigEndian ? little.reversed() : little
    }
}
