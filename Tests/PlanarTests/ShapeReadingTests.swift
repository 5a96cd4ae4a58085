// SPDX-License-Identifier: Apache-2.0

@testable import Planar
import RandomInputs
import Testing

/// Coefficients are those that T.81 §F.2.2 tells, read one symbol after the other.
@Suite struct ShapeReadingTests {
    /// A grey file of random codes and steps, whose coded data are random bits.
    private struct File {
        let dc: RandomCodes
        let ac: RandomCodes
        let steps: [UInt8]
        let bytes: [UInt8]
        let bits: [Int]

        init(_ random: inout SeededRandom) {
            dc = RandomCodes(&random, hasRuns: false)
            ac = RandomCodes(&random)
            steps = (0..<64).map { _ in UInt8.random(in: 1...255, using: &random) }
            let data = random.bytes(4_000)
            bits = data.flatMap { byte in (0..<8).reversed().map { Int(byte) >> $0 & 1 } }
            let frame: [UInt8] = [8, 0, 8, 32, 0, 1, 1, 0x11, 0]
            bytes =
                [0xFF, 0xD8] + JPEGWriter.segment(0xDB, [0] + steps) + JPEGWriter.segment(0xC0, frame)
                + JPEGWriter.segment(0xC4, [0x00] + dc.counts + dc.symbols)
                + JPEGWriter.segment(0xC4, [0x10] + ac.counts + ac.symbols)
                + JPEGWriter.segment(0xDA, [1, 1, 0, 0, 63, 0])
                + data.flatMap { $0 == 0xFF ? [0xFF, 0] : [$0] }
        }

        /// The coefficients of the next block in zigzag order, the first as a difference; nil if the block breaks a rule.
        func block(at place: inout Int) -> [Int16]? {
            var block = [Int16](repeating: 0, count: 64)
            guard let first = dc.symbol(bits, at: place), first.run == 0 else { return nil }
            place += first.length
            block[0] = Int16(truncatingIfNeeded: first.number)
            var index = 1
            while index < 64 {
                guard let symbol = ac.symbol(bits, at: place) else { return nil }
                place += symbol.length
                if symbol.isEnd { break }
                index += symbol.size == 0 ? 16 : symbol.run
                guard index < 64 else { return nil }
                if symbol.size == 0 { continue }
                block[index] = Int16(truncatingIfNeeded: symbol.number * Int(steps[index]))
                index += 1
            }
            return block
        }
    }

    /// Row by row, as T.81 figure A.6 numbers them.
    private static let zigzag: [Int] = (0..<64).sorted { one, other in
        func order(_ place: Int) -> (Int, Int) {
            let (row, column) = (place / 8, place % 8)
            return (row + column, (row + column) % 2 == 0 ? column : row)
        }
        return order(one) < order(other)
    }

    /// At an eighth of the size, only first coefficients are wanted: of some blocks, or of all.
    @Test(arguments: [(1, false), (8, false), (8, true)])
    func `batches of random codes and bits are read as single symbols are`(shrink: Int, onlyMeans: Bool)
        throws
    {
        var random = SeededRandom(for: "batches of blocks")
        var (read, broken) = (0, 0)
        for _ in 0..<200 {
            let file = File(&random)
            try file.bytes.span.bytes.withUnsafeBytes { (bytes) throws(JPEGLaneRefusal) in
                let layout = try ScanLayout(
                    Segments(Span(_unsafeBytes: bytes)), shrink: shrink, chromaShrink: 1)
                let tables = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: layout.tables.count)
                defer { tables.deallocate() }
                _ = tables.initialize(from: layout.tables)
                let batch = BlockBatch(layout.unit, tables)
                var (reader, place) = (BitReader(at: layout.data), 0)
                // Blocks that may not be whole are left out.
                while place < file.bits.count - 2_000 {
                    let count =
                        random.chance(70) ? 1 : Int.random(in: 2...BlockBatch.capacity, using: &random)
                    let start = place
                    let expected = (0..<count).map { _ in file.block(at: &place) }
                    guard place < file.bits.count - 2_000 else { break }
                    let isRead =
                        onlyMeans
                        ? BlockReader.readMeans(
                            &reader, from: bytes.bytes, by: tables, count: count, into: batch)
                        : BlockReader.readShapes(
                            &reader, from: bytes.bytes, by: tables, count: count, into: batch)
                    #expect(isRead == expected.allSatisfy { $0 != nil }, "\(count) blocks at bit \(start)")
                    guard isRead else {
                        broken += 1
                        return
                    }
                    for (number, block) in expected.enumerated() {
                        var block = block ?? []
                        if shrink == 8 { for index in block.indices.dropFirst() { block[index] = 0 } }
                        check(batch.blocks + number, block)
                    }
                    read += count
                }
            }
        }
        #expect(read > 100 && broken > 20)
    }

    private func check(_ block: UnsafeMutablePointer<BlockBatch.Block>, _ expected: [Int16]) {
        let coefficients = BlockBatch.coefficients(block)
        #expect(Self.zigzag.map { coefficients[$0] } == expected)
        // A block that ends behind its first coefficient has no other.
        #expect(block.pointee.end > 1 || expected.dropFirst().allSatisfy { $0 == 0 })
        for index in 0..<64 { coefficients[index] = 0 }
    }
}
