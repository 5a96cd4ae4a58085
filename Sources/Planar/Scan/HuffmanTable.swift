// SPDX-License-Identifier: Apache-2.0
//
// ITU-T T.81 §C and F.2.2.3: canonical codes of 1 to 16 bits. A symbol has a run of zeros (high four bits) and a size (low
// four), which is the number of bits of the coefficient that follows the code. Most codes and their numbers fit into the
// next 11 bits, so one look-up gives both:
//
//     bits 0…4    the number of bits to take: code and number, or the code alone; 0: the code is longer than 11 bits
//     bit 5       the entry contains the number
//     bits 8…11   the run
//     bits 12…15  the size
//     bits 16…31  the number, signed
//
// The tables for several symbols are built from it. Each table is a row of words, so that the tables of a scan can be
// joined in one row, and reading needs no other object.

struct HuffmanTable {
    static let lookUpBits = 11

    // The offsets of the parts in `words`.

    /// 17 words: the last code of each length, or −1 if there is none.
    private static let lastCodes = 1 << lookUpBits
    /// 17 words: the number to add to a code of each length to get its symbol's index.
    private static let offsets = lastCodes + 17
    /// 256 words: the symbols.
    private static let symbols = offsets + 17

    private let counts: [UInt8]
    private let coded: [UInt8]

    /// - Parameters:
    ///   - counts: 16 numbers of codes, one for each length.
    ///   - symbols: in the order of codes, at most 256.
    /// Nil if there are more codes than possible, or not as many symbols as codes.
    init?(counts: [UInt8], symbols: [UInt8]) {
        guard counts.count == 16, counts.reduce(0, { $0 + Int($1) }) == symbols.count, symbols.count <= 256
        else { return nil }
        var code = 0
        for (index, count) in counts.enumerated() {
            code = code << 1 + Int(count)
            // T.81 forbids a code of ones only.
            guard count == 0 || code < 2 << index else { return nil }
        }
        (self.counts, coded) = (counts, symbols)
    }

    /// The look-up entries, followed by the parts that `longCode` reads.
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
    ///   - rest: the bits behind the code, within the look-up's 11.
    ///   - count: the number of these bits.
    private static func entry(_ symbol: UInt8, _ length: Int, _ rest: Int, of count: Int) -> UInt32 {
        let (run, size) = (Int(symbol >> 4), Int(symbol & 15))
        var entry = run << 8 | size << 12
        if symbol == 0 {
            // A DC difference of 0, or the end of a block of AC coefficients, whose entry is the same.
            entry |= length | 1 << 5
        } else if size == 0 || size > count {
            entry |= length
        } else {
            let number = Self.number(UInt64(rest >> (count - size)), bits: size)
            entry |= length + size | 1 << 5 | Int(number & 0xFFFF) << 16
        }
        return UInt32(truncatingIfNeeded: entry)
    }

    /// T.81 §F.2.2.1, EXTEND: numbers with a leading zero bit are negative.
    @inline(__always)
    static func number(_ bits: UInt64, bits size: Int) -> Int {
        let number = Int(truncatingIfNeeded: bits)
        return number >> (size &- 1) == 0 ? number &- (1 &<< size) &+ 1 : number
    }

    /// The length and the symbol of a code of more than 11 bits; nil if there is no such code.
    /// - Parameters:
    ///   - bits: the next bits, in the highest places.
    ///   - tables: the scan's row of tables, which contains this table.
    ///   - base: the offset of this table.
    @inline(never)
    static func longCode(_ bits: UInt64, in tables: Span<UInt32>, at base: Int) -> (length: Int, symbol: Int)?
    {
        for length in lookUpBits + 1...16 {
            let code = Int32(truncatingIfNeeded: bits >> (64 - UInt64(length)))
            guard code <= Int32(bitPattern: tables[base + lastCodes + length]) else { continue }
            // At most 256 symbols; `init` checks the number of codes.
            let place = Int(code &+ Int32(bitPattern: tables[base + offsets + length]))
            guard (0..<256).contains(place) else { return nil }
            return (length, Int(tables[base + symbols + place]))
        }
        return nil
    }
}
