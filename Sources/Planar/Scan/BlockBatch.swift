// SPDX-License-Identifier: Apache-2.0
// Some units' blocks are read one after the other, and then transformed one after the other. So the reading has no branch at a
// block's end, which a processor could not predict. And no block is loaded, 16 bytes at once, right after its coefficients were
// stored, two bytes each, for which a processor would have to wait.

/// Successive blocks between reading and transforming.
struct BlockBatch: ~Copyable {
    /// In blocks. A quarter as many, or four times as many, take 2 to 6 % more time.
    static let capacity = 48

    /// What the reading and the transforming of a block need to know, and behind these 64 bytes its coefficients.
    struct Block {
        /// The address of the table that the next block begins with, of 2^11 entries.
        let following: Int
        /// From there to the table for the rest of this block.
        let several: Int
        /// 64 factors of coefficients in zigzag order, and 64 places in a block, row by row.
        let factors: UnsafePointer<Int32>
        /// The offsets of the tables for single symbols.
        let dc: Int32
        let ac: Int32
        let component: Int32
        /// The quantisation step of the first coefficient.
        let firstStep: Int32
        /// The first coefficient.
        var mean: Int32
        /// Behind the last zigzag place that was read. At most 1 only if the block has no coefficient but the first.
        var end: Int32
        /// Fills up the 64 bytes.
        private let padding = (0, 0)
        /// 64 coefficients, row by row; all zero between one batch and the next.
        var coefficients = InlineArray<64, Int16>(repeating: 0)
    }

    let blocks: UnsafeMutablePointer<Block>
    /// The address of the table that the first block begins with.
    let first: Int

    /// - Parameters:
    ///   - unit: the readers of a unit's blocks, of which there is at least one.
    ///   - tables: the scan's row of tables, which stays in memory as long as the batch.
    init(_ unit: [BlockReader], _ tables: UnsafeMutableBufferPointer<UInt32>) {
        // Aligned for instructions that load 32 bytes at once.
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: Self.capacity * MemoryLayout<Block>.stride, alignment: 32)
        blocks = memory.bindMemory(to: Block.self, capacity: Self.capacity)
        precondition(MemoryLayout<Block>.stride == 192)
        let entries = 1 << HuffmanTable.lookUpBits
        func start(_ offset: Int, _ count: Int) -> UnsafePointer<UInt32> {
            precondition(offset >= 0 && offset + count <= tables.count)
            // The row of tables is not empty.
            return UnsafePointer(tables.baseAddress.unsafelyUnwrapped) + offset
        }
        first = Int(bitPattern: start(unit[0].first, entries))
        for index in 0..<Self.capacity {
            let (reader, next) = (unit[index % unit.count], unit[(index + 1) % unit.count])
            let (table, later) = (start(reader.several, entries), start(next.first, entries))
            (blocks + index).initialize(
                to: Block(
                    following: Int(bitPattern: later),
                    several: Int(bitPattern: table) - Int(bitPattern: later),
                    factors: UnsafeRawPointer(start(reader.factors, 128)).assumingMemoryBound(to: Int32.self),
                    dc: Int32(clamping: reader.dc), ac: Int32(clamping: reader.ac),
                    component: Int32(clamping: reader.component),
                    firstStep: reader.firstStep, mean: 0, end: 0))
        }
    }

    deinit { blocks.deallocate() }

    /// 64 coefficients, aligned for instructions that load 32 bytes at once.
    @inline(__always)
    static func coefficients(_ block: UnsafeMutablePointer<Block>) -> UnsafeMutablePointer<Int16> {
        (UnsafeMutableRawPointer(block) + 64).assumingMemoryBound(to: Int16.self)
    }
}
