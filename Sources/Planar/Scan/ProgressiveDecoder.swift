// SPDX-License-Identifier: Apache-2.0
// The scans of a progressive frame describe the same blocks one after the other, each from the first block to the last. Here all
// scans are read at once, a strip at a time, each by its own reader. So only one strip's coefficients are held instead of the
// whole picture's, and they stay in the processor's cache. If a plane needs only block means, the scans of its other coefficients
// are not read.

/// Decodes a progressive JPEG, row of units by row of units, to planes at a fraction of their size.
struct ProgressiveDecoder: ~Copyable, StripDecoder {
    private let file: UnsafeRawBufferPointer
    private let layout: ScanLayout
    private let rings: [PlaneRing]
    private let kernels: Kernels
    private let coefficients: [CoefficientStrip]
    private var scans: [ProgressiveScan]
    /// A block's 64 coefficients, row by row.
    private let block: UnsafeMutableBufferPointer<Int16>
    private var strips = 0

    /// - Parameter rings: one for each component; their rows are a multiple of a strip's.
    init(_ file: UnsafeRawBufferPointer, _ layout: ScanLayout, rings: [PlaneRing], kernels: Kernels) {
        self.file = file
        self.layout = layout
        self.rings = rings
        self.kernels = kernels
        coefficients = layout.planes.map {
            CoefficientStrip(across: layout.unitsAcross * $0.horizontal, down: $0.vertical)
        }
        scans = layout.parts.map(ProgressiveScan.init)
        // Aligned for instructions that load 32 bytes at once.
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 128, alignment: 32)
        block = memory.bindMemory(to: Int16.self)
        block.initialize(repeating: 0)
    }

    deinit { block.deallocate() }

    mutating func decodeStrip() throws(JPEGLaneRefusal) {
        let words = layout.tables
        let (bytes, tables) = (file.bytes, words.span)
        for index in scans.indices {
            let part = layout.parts[index]
            if part.members.count > 1 {
                try scans[index].readUnits(bytes, tables, coefficients, across: layout.unitsAcross)
            } else {
                let member = part.members[0]
                let rows = min(member.vertical, member.blocksDown - strips * member.vertical)
                try scans[index].readRows(bytes, tables, coefficients[member.component], rows: max(0, rows))
            }
        }
        for (index, plane) in layout.planes.enumerated() {
            makeSamples(plane, coefficients[index], rings[index], tables)
        }
        strips += 1
    }

    private func makeSamples(
        _ plane: ScanLayout.Plane, _ strip: CoefficientStrip, _ ring: PlaneRing, _ tables: Span<UInt32>
    ) {
        let (side, rows) = (plane.side, plane.vertical * plane.side)
        precondition(strip.across * side <= ring.stride)
        let start = ring.place(ofRow: strips * rows, count: rows)
        var coefficients = MutableSpan(_unsafeElements: strip.coefficients)
        var shaped = MutableSpan(_unsafeElements: strip.shaped)
        var block = MutableSpan(_unsafeElements: block)
        let first = Int32(truncatingIfNeeded: tables[plane.steps] &>> 8)
        for y in 0..<plane.vertical {
            for x in 0..<strip.across {
                let number = y &* strip.across &+ x
                let samples = start + (y * ring.stride + x) * side
                let dc = Int32(coefficients[number &* 64]) &* first
                coefficients[number &* 64] = 0
                var left = shaped[number]
                if left == 0 {
                    FlatBlock.fill(samples, side, ring.stride, with: FlatBlock.mean(dc))
                    continue
                }
                shaped[number] = 0
                block[0] = Int16(truncatingIfNeeded: dc)
                while left != 0 {
                    let index = left.trailingZeroBitCount
                    left &= left &- 1
                    let step = tables[plane.steps &+ index]
                    let value =
                        Int(coefficients[number &* 64 &+ index]) &* Int(truncatingIfNeeded: step &>> 8)
                    block[Int(truncatingIfNeeded: step & 127)] = Int16(truncatingIfNeeded: value)
                    coefficients[number &* 64 &+ index] = 0
                }
                // The buffer is not empty.
                kernels.inverse(
                    self.block.baseAddress.unsafelyUnwrapped, side: side, to: samples, stride: ring.stride)
            }
        }
    }
}
