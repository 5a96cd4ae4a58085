// SPDX-License-Identifier: Apache-2.0

import RandomInputs

/// The codes of a table by T.81 §C.2: for each length the next numbers.
struct RandomCodes {
    /// A symbol and the number behind it.
    struct Symbol: Equatable {
        let length: Int
        let run: Int
        /// 0 means that there is no number.
        let size: Int
        let number: Int

        var isEnd: Bool { size == 0 && run == 0 }
    }

    let counts: [UInt8]
    let symbols: [UInt8]

    /// - Parameter hasRuns: false for a table of first coefficients.
    init(_ random: inout SeededRandom, hasRuns: Bool = true) {
        var (counts, left) = ([UInt8](), 1)
        for length in 1...16 {
            left *= 2
            // No code may be all ones, and longer codes need room.
            let most = min(left - 1, length < 3 ? 1 : 16)
            let count = Int.random(in: 0...max(0, most), using: &random)
            counts.append(UInt8(count))
            left -= count
        }
        let total = counts.reduce(0) { $0 + Int($1) }
        // The symbols of usual files: short runs of zeros, small numbers, the end of a block and sixteen
        // zeros.
        var usual: [UInt8] = [0x00, 0xF0]
        for run in 0..<16 { for size in 1...10 { usual.append(UInt8(run << 4 | size)) } }
        self.counts = counts
        var symbols: [UInt8] = (0..<total).map { _ in
            let symbol =
                random.chance(90)
                ? usual.randomElement(using: &random) ?? 0 : UInt8.random(in: 0...255, using: &random)
            return hasRuns ? symbol : symbol & 15
        }
        // In usual files the end of a block has a short code.
        if total > 0, random.chance(50) { symbols[Int.random(in: 0..<min(4, total), using: &random)] = 0 }
        self.symbols = symbols
    }

    /// Nil if the bits end before the symbol and its number do, or if no defined code begins there.
    func symbol(_ bits: [Int], at start: Int) -> Symbol? {
        var (code, first, index) = (0, 0, 0)
        for length in 1...16 {
            guard start + length <= bits.count else { return nil }
            code = code << 1 | bits[start + length - 1]
            let count = Int(counts[length - 1])
            if code < first + count {
                let symbol = Int(symbols[index + code - first])
                return Self.whole(symbol, length, bits, at: start + length)
            }
            index += count
            first = (first + count) << 1
        }
        return nil
    }

    private static func whole(_ symbol: Int, _ length: Int, _ bits: [Int], at start: Int) -> Symbol? {
        let (run, size) = (symbol >> 4, symbol & 15)
        guard size > 0 else {
            return run == 0 || run == 15 ? Symbol(length: length, run: run, size: 0, number: 0) : nil
        }
        guard start + size <= bits.count else { return nil }
        let value = bits[start..<start + size].reduce(0) { $0 << 1 | $1 }
        // EXTEND of T.81 §F.2.2.1.
        let number = value < 1 << (size - 1) ? value - (1 << size) + 1 : value
        return Symbol(length: length + size, run: run, size: size, number: number)
    }
}
