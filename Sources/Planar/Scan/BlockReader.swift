// SPDX-License-Identifier: Apache-2.0

/// How the blocks of one component are read: the offsets of its tables in the scan's row of tables.
struct BlockReader {
    let dc: Int
    let ac: Int
    /// The offset of the table for pairs of AC coefficients; or, if only means are wanted, that of the table for skips,
    /// followed by the table for the first coefficient with skips.
    let several: Int
    /// The offset of 64 entries in zigzag order: the quantisation step << 8 | the coefficient's place, row by row.
    /// 32 further entries lead to a place behind the block.
    let steps: Int

    /// The kinds of blocks by their coefficients.
    enum Content {
        /// All coefficients but the first are zero.
        case flat
        case shaped
        /// The block broke a rule.
        case odd
    }

    /// Reads a block's coefficients, dequantised, into 64 zeros, row by row.
    /// - Parameter dcValue: the component's previous DC value, which becomes this block's.
    @inline(__always)
    func read(
        _ reader: inout BitReader, from file: RawSpan, by tables: Span<UInt32>, dcValue: inout Int32,
        into block: inout MutableSpan<Int16>
    ) -> Content {
        reader.fillUp(from: file)
        let difference = tables[dc &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        if difference & HuffmanTable.endFollows != 0 {
            reader.take(Int(truncatingIfNeeded: difference &>> 8 & 15))
            dcValue &+= Int32(bitPattern: difference) &>> 16
            return putDC(dcValue, tables, &block) ? .flat : .odd
        }
        guard Self.takeDC(difference, &reader, by: tables, at: dc, &dcValue), putDC(dcValue, tables, &block)
        else { return .odd }
        if difference & 32 == 0 { reader.fillUp(from: file) }
        // Entries of `pairs` in HuffmanTable. Writing a coefficient of 0 changes nothing.
        var index = 1
        reading: while true {
            // At least 45 of the loaded bits are left, which suffice for four look-ups.
            for _ in 0..<4 {
                let entry = tables[several &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
                let first = index &+ Int(truncatingIfNeeded: entry &>> 6 & 15)
                let second = first &+ 1 &+ Int(truncatingIfNeeded: entry &>> 10 & 15)
                let next = second &+ Int(truncatingIfNeeded: entry &>> 5 & 1)
                // Near the block's last coefficient, symbols are read one by one, because the next symbol may
                // belong to the next block.
                guard entry & 15 != 0, next < 64 else {
                    switch readSymbol(&reader, from: file, by: tables, into: &block, at: &index) {
                    case .more:
                        reader.fillUp(from: file)
                        continue reading
                    case .last: return .shaped
                    case .odd: return .odd
                    }
                }
                let number = Int(Int32(bitPattern: entry) &>> 20)
                put(number, at: first, tables, &block)
                put(Int(Int32(bitPattern: entry &<< 12) &>> 26), at: second, tables, &block)
                reader.take(Int(truncatingIfNeeded: entry & 15))
                if entry & 16 != 0 { return index == 1 && number == 0 ? .flat : .shaped }
                index = next
            }
            reader.fillUp(from: file)
        }
    }

    /// - Returns: false for a value that no block can have.
    @inline(__always)
    private func putDC(_ value: Int32, _ tables: Span<UInt32>, _ block: inout MutableSpan<Int16>) -> Bool {
        guard value.magnitude <= Self.mostDC else { return false }
        block[0] = Int16(truncatingIfNeeded: value &* Int32(truncatingIfNeeded: tables[steps] >> 8))
        return true
    }

    /// - Parameter index: the zigzag place, up to 94; places behind the block's 64 are ignored.
    @inline(__always)
    private func put(
        _ number: Int, at index: Int, _ tables: Span<UInt32>, _ block: inout MutableSpan<Int16>
    ) {
        let step = tables[steps &+ index]
        block[Int(truncatingIfNeeded: step & 127)] =
            Int16(truncatingIfNeeded: number &* Int(truncatingIfNeeded: step &>> 8))
    }

    private enum Progress { case more, last, odd }

    /// Reads one AC symbol of any length.
    @inline(never)
    private func readSymbol(
        _ reader: inout BitReader, from file: RawSpan, by tables: Span<UInt32>,
        into block: inout MutableSpan<Int16>, at index: inout Int
    ) -> Progress {
        reader.fill(from: file)
        let entry = tables[ac &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        var (run, number) = (Int(truncatingIfNeeded: entry &>> 8 & 15), Int(Int32(bitPattern: entry) &>> 16))
        if number != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
        } else {
            guard let (zeros, size) = Self.symbol(&reader, entry, by: tables, at: ac) else { return .odd }
            if size == 0 {
                if zeros == 0 { return .last }
                index &+= 16
                // A coefficient must follow.
                return zeros == 15 && index < 64 ? .more : .odd
            }
            (run, number) = (zeros, HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size))
            reader.take(size)
        }
        index &+= run
        guard index < 64 else { return .odd }
        put(number, at: index, tables, &block)
        index &+= 1
        return index < 64 ? .more : .last
    }

    /// The largest DC value of 8-bit samples before quantisation (T.81 §F.1.2.1.1).
    static let mostDC = 2048

    /// Adds the next difference to the component's DC value; false if there is no such code.
    /// - Parameter dc: the offset of the table.
    @inline(__always)
    static func readDC(
        _ reader: inout BitReader, from file: RawSpan, by tables: Span<UInt32>, at dc: Int,
        _ value: inout Int32
    ) -> Bool {
        reader.fill(from: file)
        let entry = tables[dc &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        return takeDC(entry, &reader, by: tables, at: dc, &value)
    }

    /// - Parameter entry: the table's entry for the next bits.
    @inline(__always)
    private static func takeDC(
        _ entry: UInt32, _ reader: inout BitReader, by tables: Span<UInt32>, at dc: Int, _ value: inout Int32
    ) -> Bool {
        if entry & 32 != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
            value &+= Int32(bitPattern: entry) &>> 16
        } else {
            guard let (run, size) = symbol(&reader, entry, by: tables, at: dc), run == 0 else {
                return false
            }
            if size > 0 {
                let number = HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size)
                reader.take(size)
                value &+= Int32(truncatingIfNeeded: number)
            }
        }
        return true
    }

    /// Takes a code whose number did not fit into the look-up. Nil if there is no such code.
    @inline(__always)
    static func symbol(
        _ reader: inout BitReader, _ entry: UInt32, by tables: Span<UInt32>, at base: Int
    ) -> (run: Int, size: Int)? {
        if entry & 31 != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
            return (Int(truncatingIfNeeded: entry &>> 8 & 15), Int(truncatingIfNeeded: entry &>> 12 & 15))
        }
        guard let (length, symbol) = HuffmanTable.longCode(reader.bits, in: tables, at: base) else {
            return nil
        }
        reader.take(length)
        return (symbol >> 4, symbol & 15)
    }
}
