// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// A look-up of several symbols agrees with reading them one by one by T.81 §F.2.2.
@Suite struct SeveralSymbolsTests {
    private func each(
        _ name: String, _ body: (RandomCodes, _ bits: [Int], _ index: Int, _ entries: [UInt32]) -> Void
    ) throws {
        var random = SeededRandom(for: name)
        for _ in 0..<30 {
            let codes = RandomCodes(&random)
            let table = try #require(HuffmanTable(counts: codes.counts, symbols: codes.symbols))
            let entries = Array(table.words.prefix(1 << HuffmanTable.lookUpBits))
            for index in 0..<1 << HuffmanTable.lookUpBits {
                let bits = (0..<HuffmanTable.lookUpBits).reversed().map { index >> $0 & 1 }
                body(codes, bits, index, entries)
            }
        }
    }

    /// An entry's fields: bits to take, places to the first coefficient and from there to the second, whether the block
    /// ends, and the two numbers.
    private func fields(_ entry: UInt32) -> [Int] {
        [
            Int(entry & 15), HuffmanTable.first(of: entry), HuffmanTable.second(of: entry),
            entry & HuffmanTable.goesOn == 0 ? 1 : 0, Int(HuffmanTable.firstNumber(of: entry)),
            Int(HuffmanTable.secondNumber(of: entry)),
        ]
    }

    /// The fields of a coefficient, of the next one if it is whole and small, and of the end if it is next.
    private func pair(_ codes: RandomCodes, _ bits: [Int], taken start: Int, run: Int, number: Int) -> [Int] {
        var (taken, ends, second): (Int, Bool, RandomCodes.Symbol?) = (start, false, nil)
        if let next = codes.symbol(bits, at: taken) {
            if next.size > 0, next.run < 15, (-64..<64).contains(next.number) { second = next }
            if second != nil || next.isEnd { taken += next.length }
            ends = next.isEnd
            if second != nil, let end = codes.symbol(bits, at: taken), end.isEnd {
                (taken, ends) = (taken + end.length, true)
            }
        }
        return [taken, run, second.map { $0.run + 1 } ?? 0, ends ? 1 : 0, number, second?.number ?? 0]
    }

    @Test func `pairs are the next one or two coefficients, and the end if it is next`() throws {
        var (known, pairs): ([UInt32], [UInt32]) = ([], [])
        try each("pairs") { codes, bits, index, entries in
            if entries != known { (known, pairs) = (entries, HuffmanTable.pairs(of: entries)) }
            guard let first = codes.symbol(bits, at: 0), first.size > 0 || first.isEnd else {
                #expect(pairs[index] & 15 == 0, "\(bits)")
                return
            }
            let expected =
                first.isEnd
                ? [first.length, 0, 0, 1, 0, 0]
                : pair(codes, bits, taken: first.length, run: first.run, number: first.number)
            #expect(fields(pairs[index]) == expected, "\(bits)")
        }
    }

    @Test func `first pairs are the first coefficient and one other, and the end if it is next`() throws {
        let (differences, first) = try differences("first pairs")
        var (known, pairs): ([UInt32], [UInt32]) = ([], [])
        try each("pairs behind the first") { codes, bits, index, entries in
            if entries != known {
                (known, pairs) = (entries, HuffmanTable.firstPairs(of: differences, entries))
            }
            guard let (length, number) = first(index) else {
                #expect(pairs[index] & 15 == 0, "\(bits)")
                return
            }
            #expect(
                fields(pairs[index]) == pair(codes, bits, taken: length, run: 0, number: number), "\(bits)")
        }
    }

    /// The entries of a random table of DC coefficients, and the length and the number of each that is whole.
    private func differences(_ name: String) throws -> ([UInt32], (Int) -> (Int, Int)?) {
        var random = SeededRandom(for: name)
        let codes = RandomCodes(&random)
        let table = try #require(HuffmanTable(counts: codes.counts, symbols: codes.symbols))
        let entries = Array(table.words.prefix(1 << HuffmanTable.lookUpBits))
        return (
            entries,
            { index in
                // A DC symbol has a size only, which may be 0, and no run.
                guard entries[index] & 32 != 0 else { return nil }
                return (Int(entries[index] & 31), Int(Int32(bitPattern: entries[index]) >> 16))
            }
        )
    }

    /// Passing over symbols leads as far as skipping them, where a pair's fields have room for the places.
    @Test func `passes are skips in the form of pairs`() throws {
        let (differences, first) = try differences("first passes")
        var (known, passes, firstPasses): ([UInt32], [UInt32], [UInt32]) = ([], [], [])
        try each("passes") { codes, bits, index, entries in
            if entries != known {
                known = entries
                passes = HuffmanTable.passes(of: HuffmanTable.skips(of: entries), isFirst: false)
                firstPasses = HuffmanTable.passes(
                    of: HuffmanTable.firstSkips(of: differences, entries), isFirst: true)
            }
            func check(_ entry: UInt32, from start: Int, number: Int, most: Int) {
                let (taken, others, ends) = skipped(codes, bits, behind: start)
                let last = max(0, others - (number == .max ? 1 : 0))
                guard taken > 0, last <= most else {
                    #expect(entry & 15 == 0, "\(bits)")
                    return
                }
                let found = fields(entry)
                #expect(
                    found[0] == taken && found[1] + found[2] == last && found[3] == (ends ? 1 : 0), "\(bits)")
                #expect(found[4] == (number == .max ? 0 : number) && found[5] == 0, "\(bits)")
            }
            // Without a first coefficient, the last place that is passed is one before the next.
            check(passes[index], from: 0, number: .max, most: 30)
            if let (length, number) = first(index) {
                check(firstPasses[index], from: length, number: number, most: 15)
                #expect(HuffmanTable.first(of: firstPasses[index]) == 0)
            } else {
                #expect(firstPasses[index] & 15 == 0)
            }
        }
    }

    /// What can be skipped behind this many bits.
    private func skipped(_ codes: RandomCodes, _ bits: [Int], behind start: Int) -> (
        taken: Int, advance: Int, ends: Bool
    ) {
        var (taken, advance, ends) = (start, 0, false)
        while !ends, advance < 64, let symbol = codes.symbol(bits, at: taken) {
            taken += symbol.length
            ends = symbol.isEnd
            if !ends { advance += symbol.run + 1 }
        }
        return (taken, advance, ends)
    }

    @Test func `skips are all symbols that are whole`() throws {
        var (known, skips): ([UInt32], [UInt32]) = ([], [])
        try each("skips") { codes, bits, index, entries in
            if entries != known { (known, skips) = (entries, HuffmanTable.skips(of: entries)) }
            let (taken, advance, ends) = skipped(codes, bits, behind: 0)
            let entry = skips[index]
            #expect(Int(entry & 63) == taken && (entry & HuffmanTable.end != 0) == ends, "\(bits)")
            // An advance beyond any block if nothing fits.
            #expect(HuffmanTable.advance(of: entry) == (taken > 0 ? advance : 64), "\(bits)")
        }
    }

    @Test func `first skips are the first coefficient and all symbols that are whole behind it`() throws {
        let (differences, first) = try differences("first skips")
        var (known, skips): ([UInt32], [UInt32]) = ([], [])
        try each("skips behind the first") { codes, bits, index, entries in
            if entries != known {
                (known, skips) = (entries, HuffmanTable.firstSkips(of: differences, entries))
            }
            let entry = skips[index]
            guard let (length, number) = first(index) else {
                #expect(HuffmanTable.advance(of: entry) == 64 && entry & HuffmanTable.end == 0, "\(bits)")
                return
            }
            let (taken, advance, ends) = skipped(codes, bits, behind: length)
            #expect(Int(entry & 63) == taken && (entry & HuffmanTable.end != 0) == ends, "\(bits)")
            #expect(HuffmanTable.advance(of: entry) == advance + 1, "\(bits)")
            #expect(Int(Int32(bitPattern: entry) >> 16) == number, "\(bits)")
        }
    }
}
