// SPDX-License-Identifier: Apache-2.0
//
// ITU-T T.81 §C and F.2.2.3: canonical codes of 1 to 16 bits. A symbol is a run of zeros (high four bits) and a size
// (low four), and so many bits follow that tell a number. Most codes and their numbers fit into the next 11 bits, so
// one look-up gives both:
//
//     bits 0…4    how many bits to take: of code and number, or of the code alone; 0: the code is longer than 11 bits
//     bit 5       the number is told
//     bits 8…11   the run
//     bits 12…15  the size
//     bits 16…31  the number, signed
//
// Tables of several symbols at once are made of it. All of them are rows of words, so that the tables of a scan can be one
// row too, and reading needs no other object.

struct HuffmanTable {
    static let lookUpBits = 11

    // Where the parts begin.

    /// 17: the last code of each length, or −1 where there is none.
    private static let lastCodes = 1 << lookUpBits
    /// 17: what to add to a code of a length to get its symbol's place.
    private static let offsets = lastCodes + 17
    /// 256.
    private static let symbols = offsets + 17

    private let counts: [UInt8]
    private let coded: [UInt8]

    /// - Parameters:
    ///   - counts: 16, codes of each length.
    ///   - symbols: in the order of codes, at most 256.
    /// Nil: there are more codes than there can be, or fewer symbols than codes.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == 16, counts.reduce(0, { $0 + Int($1) }) == symbols.count, symbols.count <= 256
        else { return nil }
        var code = 0
        for (index, count) in counts.enumerated() {
            code = code << 1 + Int(count)
            // Nor may a code be all ones.
            guard count == 0 || code < 2 << index else { return nil }
        }
        (self.counts, coded) = (counts, symbols)
    }

    /// What `longCode` reads is part of it.
    var words: [UInt32] {
        var entries = [UInt32](repeating: 0, count: 1 << Self.lookUpBits)
        var lastCodes = [Int32](repeating: -1, count: 17)
        var offsets = [Int32](repeating: 0, count: 17)
        var (code, index) = (0, 0)
        for length in 1...16 {
            offsets[length] = Int32(truncatingIfNeeded: index - code)
            for _ in 0..<counts[length - 1] {
                if length <= Self.lookUpBits {
                    let shift = Self.lookUpBits - length
                    for rest in 0..<1 << shift {
                        entries[code << shift | rest] = Self.entry(coded[index], length, rest, of: shift)
                    }
                }
                code += 1
                index += 1
            }
            if counts[length - 1] > 0 { lastCodes[length] = Int32(truncatingIfNeeded: code - 1) }
            code <<= 1
        }
        var words = entries
        words += (lastCodes + offsets).map { UInt32(bitPattern: $0) }
        words += coded.map { UInt32($0) } + [UInt32](repeating: 0, count: max(0, 256 - coded.count))
        return words
    }

    /// - Parameters:
    ///   - rest: the bits behind the code, as far as they are looked at.
    ///   - count: how many those are.
    private static func entry(_ symbol: UInt8, _ length: Int, _ rest: Int, of count: Int) -> UInt32 {
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        var entry = run << 8 | size << 12
        if symbol == 0 {
            // A DC difference of 0. The end of a block of AC coefficients looks the same.
            entry |= length | 1 << 5
        } else if size == 0 || size > count {
            entry |= length
        } else {
            let number = Self.number(UInt64(rest >> (count - size)), bits: size)
            entry |= length + size | 1 << 5 | Int(number & 0xFFFF) << 16
        }
        return UInt32(truncatingIfNeeded: entry)
    }

    /// T.81 §F.2.2.1, EXTEND: numbers with a zero in front are negative.
    @inline(__always)
    static func number(_ bits: UInt64, bits size: Int) -> Int {
        let number = Int(truncatingIfNeeded: bits)
        return number >> (size &- 1) == 0 ? number &- (1 &<< size) &+ 1 : number
    }

    /// The length and the symbol of a code of more than 11 bits; nil: there is no such code.
    /// - Parameters:
    ///   - bits: the next ones, at the top.
    ///   - tables: among others this one.
    ///   - base: where it begins.
    @inline(never)
    static func longCode(_ bits: UInt64, in tables: Span<UInt32>, at base: Int) -> (length: Int, symbol: Int)?
    {
        for length in lookUpBits + 1...16 {
            let code = Int32(truncatingIfNeeded: bits >> (64 - UInt64(length)))
            guard code <= Int32(bitPattern: tables[base + lastCodes + length]) else { continue }
            // 256 symbols at most, as the codes' number was held against.
            let place = Int(code &+ Int32(bitPattern: tables[base + offsets + length]))
            guard (0..<256).contains(place) else { return nil }
            return (length, Int(tables[base + symbols + place]))
        }
        return nil
    }
}
