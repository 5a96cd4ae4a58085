// SPDX-License-Identifier: Apache-2.0
//
// One look-up covers either a block's first coefficient and one other, or two others; and the block's end if that is next.
// Both have entries of the same form, that of `pairs` in HuffmanTable+Several.swift. The lane spends most of its time here, and
// each instruction counts. Three accesses are not checked, because they cannot leave their memory: the next 11 bits are a place
// in a table of 2^11 entries; zigzag places are compared with 63; and places in a block come from a table of our own.

extension BlockReader {
    /// The tables of a component in memory, for the loop.
    struct Tables {
        /// 2^11 entries each.
        let firstPairs: UnsafePointer<UInt32>
        let pairs: UnsafePointer<UInt32>
        /// 64 factors of coefficients in zigzag order, and their places in a block, row by row.
        let factors: UnsafePointer<Int32>
        let places: UnsafePointer<UInt32>
    }

    /// The kinds of blocks by their coefficients.
    enum Content {
        /// All coefficients but the first are zero.
        case flat
        case shaped
        /// The block broke a rule.
        case odd
    }

    /// Reads a block's coefficients, times their factors, into 64 zeros, row by row.
    /// - Parameter dcValue: the component's previous DC value, which becomes this block's.
    @inline(__always)
    func readShape(
        _ reader: inout BitReader, from file: RawSpan, by words: Span<UInt32>, _ tables: Tables,
        dcValue: inout Int32, into block: UnsafeMutablePointer<Int16>
    ) -> Content {
        reader.fillUp(from: file)
        var entry = tables.firstPairs[Int(truncatingIfNeeded: reader.bits &>> 53)]
        var index: Int
        if entry & 15 != 0 {
            index = HuffmanTable.second(of: entry)
            Self.put(HuffmanTable.secondNumber(of: entry), at: index, tables, block)
            dcValue &+= HuffmanTable.firstNumber(of: entry)
            reader.take(Int(truncatingIfNeeded: entry & 15))
        } else {
            guard let (difference, rest) = longDC(reader, from: file, by: words) else { return .odd }
            (entry, index, reader) = (0, 0, rest)
            dcValue &+= difference
        }
        guard dcValue.magnitude <= Self.mostDC else { return .odd }
        block[0] = Int16(truncatingIfNeeded: dcValue &* firstStep)
        if entry & HuffmanTable.endOfPairs != 0 { return index == 0 ? .flat : .shaped }
        index &+= 1
        while true {
            // At least 45 of the loaded bits are left, which suffice for four look-ups.
            for _ in 0..<4 {
                let entry = tables.pairs[Int(truncatingIfNeeded: reader.bits &>> 53)]
                let first = index &+ HuffmanTable.first(of: entry)
                let second = first &+ HuffmanTable.second(of: entry)
                // Near the block's last coefficient, symbols are read one by one, because the next symbol may
                // belong to the next block.
                guard entry & 15 != 0, second < 63 else {
                    guard let (next, rest) = symbol(reader, from: file, by: words, at: index, into: block)
                    else {
                        return .odd
                    }
                    (index, reader) = (next, rest)
                    if index == 64 { return .shaped }
                    break
                }
                // Writing a coefficient of 0 changes nothing.
                Self.put(HuffmanTable.secondNumber(of: entry), at: second, tables, block)
                Self.put(HuffmanTable.firstNumber(of: entry), at: first, tables, block)
                reader.take(Int(truncatingIfNeeded: entry & 15))
                if entry & HuffmanTable.endOfPairs != 0 {
                    return index == 1 && HuffmanTable.firstNumber(of: entry) == 0 ? .flat : .shaped
                }
                index = second &+ 1
            }
            reader.fillUp(from: file)
        }
    }

    /// - Parameter index: the zigzag place, which the caller has compared with 63. That of a block's second coefficient is
    ///   at most 15, as many as its field can hold.
    @inline(__always)
    private static func put(
        _ number: Int32, at index: Int, _ tables: Tables, _ block: UnsafeMutablePointer<Int16>
    ) {
        let place = Int(truncatingIfNeeded: tables.places[index])
        block[place] = Int16(truncatingIfNeeded: number &* tables.factors[index])
    }

    /// Reads the difference of a first coefficient that did not fit into the look-up. Returns a new reader, so that a reader
    /// in use can stay in registers.
    @inline(never)
    private func longDC(
        _ source: BitReader, from file: RawSpan, by words: Span<UInt32>
    ) -> (Int32, BitReader)? {
        var (reader, difference) = (source, Int32(0))
        guard Self.readDC(&reader, from: file, by: words, at: dc, &difference) else { return nil }
        reader.fillUp(from: file)
        return (difference, reader)
    }

    /// Reads one AC symbol of any length, as `longDC`.
    /// - Returns: the next place, 64 behind the block's end; nil if there is no such symbol, or it breaks a rule.
    @inline(never)
    private func symbol(
        _ source: BitReader, from file: RawSpan, by words: Span<UInt32>, at index: Int,
        into block: UnsafeMutablePointer<Int16>
    ) -> (Int, BitReader)? {
        var reader = source
        reader.fill(from: file)
        let entry = words[ac &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        var (run, number) = (Int(truncatingIfNeeded: entry &>> 8 & 15), Int32(bitPattern: entry) &>> 16)
        if number != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
        } else {
            guard let (zeros, size) = Self.symbol(&reader, entry, by: words, at: ac) else { return nil }
            if size == 0 {
                if zeros == 0 { return (64, reader) }
                // A coefficient must follow 16 zeros.
                return zeros == 15 && index &+ 16 < 64 ? (index &+ 16, reader) : nil
            }
            run = zeros
            number = Int32(
                truncatingIfNeeded: HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size))
            reader.take(size)
        }
        let place = index &+ run
        guard place < 64 else { return nil }
        let factor = Int32(bitPattern: words[factors &+ place])
        block[Int(words[factors &+ 64 &+ place] & 63)] = Int16(truncatingIfNeeded: number &* factor)
        return (place &+ 1, reader)
    }
}
