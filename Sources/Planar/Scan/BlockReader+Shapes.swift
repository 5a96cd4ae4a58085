// SPDX-License-Identifier: Apache-2.0
//
// One look-up covers either a block's first coefficient and one other, or two others; and the block's end if that is next.
// Both have entries of the same form (HuffmanTable+Several.swift). One step takes one entry of either kind, whether or not it
// ends the block, without a branch, because a processor cannot predict where a block ends.
//
// The lane spends most of its time here, and each instruction counts. Three accesses are not checked, because they cannot leave
// their memory: the next 11 bits are a place in a table of 2^11 entries; zigzag places are compared with 63; and places in a
// block come from a table of our own.

extension BlockReader {
    /// Reads the coefficients of blocks, times their factors.
    /// - Parameters:
    ///   - count: the number of blocks to read, at most a batch.
    ///   - batch: blocks of zeros. The first coefficient of each becomes the difference from the previous one of its
    ///     component.
    /// - Returns: false if a block breaks a rule.
    @inline(never)
    static func readShapes(
        _ source: inout BitReader, from file: RawSpan, by words: UnsafeMutableBufferPointer<UInt32>,
        count: Int, into batch: borrowing BlockBatch
    ) -> Bool {
        read(&source, from: file, by: words, count: count, into: batch, onlyMeans: false)
    }

    /// As `readShapes`, if only the first coefficient of every block is wanted.
    @inline(never)
    static func readMeans(
        _ source: inout BitReader, from file: RawSpan, by words: UnsafeMutableBufferPointer<UInt32>,
        count: Int, into batch: borrowing BlockBatch
    ) -> Bool {
        read(&source, from: file, by: words, count: count, into: batch, onlyMeans: true)
    }

    /// - Parameter onlyMeans: a constant, so that there is a loop for either.
    @inline(__always)
    private static func read(
        _ source: inout BitReader, from file: RawSpan, by words: UnsafeMutableBufferPointer<UInt32>,
        count: Int, into batch: borrowing BlockBatch, onlyMeans: Bool
    ) -> Bool {
        var reader = source
        defer { source = reader }
        precondition(count > 0 && count <= BlockBatch.capacity)
        let words = Span(_unsafeElements: UnsafeBufferPointer(words))
        var block = batch.blocks
        let end = block + count
        var (table, index) = (batch.first, 0)
        while true {
            reader.fillUp(from: file)
            // The loaded bits suffice for five look-ups.
            if step(&reader, &table, &index, &block, onlyMeans) {
                if block == end { return true }
                if step(&reader, &table, &index, &block, onlyMeans) {
                    if block == end { return true }
                    if step(&reader, &table, &index, &block, onlyMeans) {
                        if block == end { return true }
                        if step(&reader, &table, &index, &block, onlyMeans) {
                            if block == end { return true }
                            if step(&reader, &table, &index, &block, onlyMeans) {
                                if block == end { return true }
                                continue
                            }
                        }
                    }
                }
            }
            // Near the block's last coefficient, symbols are read one by one, because the next symbol may
            // belong to the next block.
            reader.fillUp(from: file)
            guard let next = symbol(&reader, by: words, at: index, into: block) else { return false }
            block.pointee.end = Int32(truncatingIfNeeded: next)
            let continues = next < 64 ? -1 : 0
            table = block.pointee.following &+ (block.pointee.several & continues)
            index = next & continues
            block += 1 &+ continues
            if block == end { return true }
        }
    }

    /// Takes one entry.
    /// - Returns: false if a symbol does not fit into it, or may belong to the next block; nothing was taken then.
    @inline(__always)
    private static func step(
        _ reader: inout BitReader, _ table: inout Int, _ index: inout Int,
        _ block: inout UnsafeMutablePointer<BlockBatch.Block>, _ onlyMeans: Bool
    ) -> Bool {
        let entries = UnsafePointer<Int32>(bitPattern: table).unsafelyUnwrapped
        let whole = Int(entries[Int(truncatingIfNeeded: reader.bits &>> 53)])
        let entry = UInt32(truncatingIfNeeded: whole)
        let first = index &+ HuffmanTable.first(of: entry)
        let second = first &+ HuffmanTable.second(of: entry)
        guard entry & 15 != 0, second < 63 else { return false }
        let (factors, coefficients) = (block.pointee.factors, BlockBatch.coefficients(block))
        // Writing a coefficient of 0 changes nothing, nor does adding it.
        if onlyMeans {
            coefficients[0] &+= Int16(truncatingIfNeeded: HuffmanTable.firstNumber(of: entry))
        } else {
            put(HuffmanTable.secondNumber(of: entry), at: second, factors, coefficients)
            put(HuffmanTable.firstNumber(of: entry), at: first, factors, coefficients)
        }
        reader.take(Int(truncatingIfNeeded: entry & 15))
        if !onlyMeans { block.pointee.end = Int32(truncatingIfNeeded: second &+ 1) }
        // All ones if the block continues, else 0.
        let continues = whole &>> 63
        index = (second &+ 1) & continues
        table = block.pointee.following &+ (block.pointee.several & continues)
        block = UnsafeMutableRawPointer(block)
            .advanced(by: MemoryLayout<BlockBatch.Block>.stride & ~continues)
            .assumingMemoryBound(to: BlockBatch.Block.self)
        return true
    }

    /// - Parameter index: the zigzag place, which the caller has compared with 63.
    @inline(__always)
    private static func put(
        _ number: Int32, at index: Int, _ factors: UnsafePointer<Int32>, _ block: UnsafeMutablePointer<Int16>
    ) {
        block[Int(factors[index &+ 64])] = Int16(truncatingIfNeeded: number &* factors[index])
    }

    /// Reads one symbol of any length.
    /// - Returns: the next place, 64 behind the block's end; nil if there is no such symbol, or it breaks a rule.
    @inline(__always)
    private static func symbol(
        _ reader: inout BitReader, by words: Span<UInt32>, at index: Int,
        into block: UnsafeMutablePointer<BlockBatch.Block>
    ) -> Int? {
        let table = Int(index == 0 ? block.pointee.dc : block.pointee.ac)
        let entry = words[table &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
        var (run, number) = (Int(truncatingIfNeeded: entry &>> 8 & 15), Int32(bitPattern: entry) &>> 16)
        if number != 0 {
            reader.take(Int(truncatingIfNeeded: entry & 31))
        } else {
            guard let (zeros, size) = symbol(&reader, entry, by: words, at: table) else { return nil }
            if size == 0, index > 0 {
                if zeros == 0 { return 64 }
                // A coefficient must follow 16 zeros.
                return zeros == 15 && index &+ 16 < 64 ? index &+ 16 : nil
            }
            run = zeros
            if size > 0 {
                number = Int32(
                    truncatingIfNeeded: HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size))
                reader.take(size)
            }
        }
        let place = index &+ run
        // A first coefficient has no run.
        guard place < 64, index > 0 || run == 0 else { return nil }
        put(number, at: place, block.pointee.factors, BlockBatch.coefficients(block))
        return place &+ 1
    }
}
