// SPDX-License-Identifier: Apache-2.0
//
// A block that becomes one sample needs only its first coefficient; the others are skipped. One look-up covers either the
// first coefficient and as many others as are complete in the next bits, or others alone. Both have entries of the same
// form (HuffmanTable+Several.swift). One step of the loop takes one entry of either kind, whether or not it ends the block,
// without a branch, because a processor cannot predict where a block ends.

extension BlockReader {
    /// Reads the first coefficients of blocks, each as the difference from the previous one of its component.
    /// - Parameters:
    ///   - unit: the blocks of a unit, in the order of the file; the first block of the next unit follows the last
    ///     one.
    ///   - count: the number of blocks to read.
    /// - Returns: false if a block breaks a rule.
    @inline(__always)
    static func readMeans(
        _ source: inout BitReader, from file: RawSpan, by tables: Span<UInt32>, _ unit: Span<BlockReader>,
        count: Int,
        into buffer: UnsafeMutableBufferPointer<Int16>
    ) -> Bool {
        var reader = source
        defer { source = reader }
        var differences = MutableSpan(_unsafeElements: buffer)
        var (block, done, index, difference) = (0, 0, 0, Int32(0))
        var base = unit[0].first
        while true {
            reader.fillUp(from: file)
            // The loaded bits suffice for four look-ups.
            for _ in 0..<4 {
                var entry = tables[base &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
                if index &+ HuffmanTable.advance(of: entry) >= 64 {
                    guard let single = unit[block].symbol(reader, from: file, by: tables, at: index) else {
                        return false
                    }
                    (entry, reader) = single
                }
                reader.take(Int(truncatingIfNeeded: entry & 63))
                difference &+= Int32(bitPattern: entry) &>> 16
                differences[done] = Int16(truncatingIfNeeded: difference)
                let following = block &+ 1 == unit.count ? 0 : block &+ 1
                let (ended, next) = (unit[following].first, unit[block].several)
                let ends = entry & HuffmanTable.end != 0
                base = ends ? ended : next
                index = ends ? 0 : index &+ HuffmanTable.advance(of: entry)
                difference = ends ? 0 : difference
                block = ends ? following : block
                done &+= ends ? 1 : 0
                if done == count { return true }
            }
        }
    }

    /// Reads one symbol of any length. Returns a new reader, so that a reader in use can stay in registers.
    /// - Returns: an entry of which nothing is left to take; nil if there is no such symbol, or it breaks a
    ///   rule.
    @inline(never)
    private func symbol(
        _ source: BitReader, from file: RawSpan, by tables: Span<UInt32>, at index: Int
    ) -> (UInt32, BitReader)? {
        var reader = source
        guard let entry = skipSymbol(&reader, from: file, by: tables, at: index) else { return nil }
        reader.fillUp(from: file)
        return (entry, reader)
    }

    private func skipSymbol(
        _ reader: inout BitReader, from file: RawSpan, by tables: Span<UInt32>, at index: Int
    ) -> UInt32? {
        reader.fillUp(from: file)
        guard index > 0 else {
            var difference: Int32 = 0
            guard Self.readDC(&reader, from: file, by: tables, at: dc, &difference) else { return nil }
            return UInt32(bitPattern: difference &<< 16) | HuffmanTable.entry(taking: 0, advance: 1)
        }
        let entry = tables[ac &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        var advance = 0
        if entry & 32 != 0, entry & 0xF000 != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
            advance = Int(truncatingIfNeeded: entry &>> 8 & 15) &+ 1
        } else {
            guard let (run, size) = Self.symbol(&reader, entry, by: tables, at: ac) else { return nil }
            if size == 0, run == 0 { return HuffmanTable.end }
            advance = run &+ 1
            reader.take(size)
            // A coefficient must follow 16 zeros.
            guard size > 0 || (run == 15 && index &+ advance < 64) else { return nil }
        }
        guard index &+ advance <= 64 else { return nil }
        return index &+ advance < 64 ? HuffmanTable.entry(taking: 0, advance: advance) : HuffmanTable.end
    }
}
