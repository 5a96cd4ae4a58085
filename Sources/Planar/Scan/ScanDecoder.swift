// SPDX-License-Identifier: Apache-2.0
// A scan's units follow one another in rows. A unit has as many blocks of each component as the component's sampling says (T.81
// §A.2.3). A row of units makes one strip of each plane, in its ring. Numbers and block places that the file's bytes determine
// go through checked access, or lead nowhere but into a table or a block (BlockReader+Shapes.swift). The addresses of samples are
// computed here.

/// Decodes the single scan of a JPEG, row of units by row of units, to planes at a fraction of their size.
struct ScanDecoder: ~Copyable, StripDecoder {
    private let file: UnsafeRawBufferPointer
    private let layout: ScanLayout
    private let rings: [PlaneRing]
    private let kernels: Kernels
    private let batch: BlockBatch
    /// The layout's, where pointers to them stay valid.
    private let tables: UnsafeMutableBufferPointer<UInt32>
    private var reader: BitReader
    /// The latest DC value of each component.
    private var dcValues: InlineArray<3, Int32> = [0, 0, 0]
    private var unitsLeft: Int
    private var unitsToRestart: Int
    private var restarts = 0
    private var strips = 0

    /// - Parameter rings: one for each component; their rows are a multiple of a strip's.
    init(_ file: UnsafeRawBufferPointer, _ layout: ScanLayout, rings: [PlaneRing], kernels: Kernels) {
        self.file = file
        self.layout = layout
        self.rings = rings
        self.kernels = kernels
        reader = BitReader(at: layout.data)
        unitsLeft = layout.unitsAcross * layout.unitsDown
        unitsToRestart = layout.restartInterval
        tables = .allocate(capacity: layout.tables.count)
        _ = tables.initialize(from: layout.tables)
        batch = BlockBatch(layout.unit, tables)
    }

    deinit { tables.deallocate() }

    mutating func decodeStrip() throws(JPEGLaneRefusal) {
        let (file, unitCount) = (file.bytes, layout.unit.count)
        // A local copy can stay in registers.
        var (reader, dcValues) = (reader, dcValues)
        var (places, left) = (strip, layout.unitsAcross)
        let most = BlockBatch.capacity / unitCount
        let onlyMeans = layout.planes.allSatisfy { $0.side == 1 }
        while left > 0 {
            let units = min(left, most, layout.restartInterval > 0 ? unitsToRestart : left)
            let count = units * unitCount
            let isRead =
                onlyMeans
                ? BlockReader.readMeans(&reader, from: file, by: tables, count: count, into: batch)
                : BlockReader.readShapes(&reader, from: file, by: tables, count: count, into: batch)
            guard isRead, addDifferences(count, &dcValues) else { throw .oddData }
            makeSamples(units, &places)
            left -= units
            try pass(units, &reader, file, &dcValues)
        }
        (self.reader, self.dcValues) = (reader, dcValues)
        strips += 1
    }

    /// Counts units that were read, and reads the marker if one is due.
    @inline(__always)
    private mutating func pass(
        _ units: Int, _ reader: inout BitReader, _ file: RawSpan, _ dcValues: inout InlineArray<3, Int32>
    ) throws(JPEGLaneRefusal) {
        guard !reader.isPastEnd else { throw .oddData }
        unitsLeft -= units
        unitsToRestart -= units
        if unitsLeft == 0 {
            // Only the end of the image (EOI) may follow.
            guard reader.marker(in: file)?.marker == 0xD9 else { throw .oddData }
        } else if unitsToRestart == 0 {
            reader = try restart(reader.marker(in: file))
            dcValues = [0, 0, 0]
        }
    }

    /// T.81 §E.2.4: the markers are RST0 to RST7 in turn.
    private mutating func restart(
        _ found: (marker: UInt8, next: BitReader)?
    ) throws(JPEGLaneRefusal) -> BitReader {
        // Cannot trap: the remainder is 0 to 7.
        guard let found, found.marker == 0xD0 + UInt8(restarts % 8) else { throw .oddData }
        restarts += 1
        unitsToRestart = layout.restartInterval
        return found.next
    }

    /// Where a unit's blocks of one component go, and how they are read.
    private struct Place {
        let blocks: BlockReader
        let horizontal: Int
        let vertical: Int
        let side: Int
        let stride: Int
        /// Where the first block's samples go.
        var samples: UnsafeMutablePointer<UInt8>
    }

    /// The places of the first unit of the next strip.
    private var strip: [Place] {
        layout.planes.indices.map { index in
            let (plane, ring) = (layout.planes[index], rings[index])
            let rows = plane.vertical * plane.side
            precondition(layout.unitsAcross * plane.horizontal * plane.side <= ring.stride)
            return Place(
                blocks: layout.readers[index], horizontal: plane.horizontal, vertical: plane.vertical,
                side: plane.side, stride: ring.stride, samples: ring.place(ofRow: strips * rows, count: rows))
        }
    }

    /// Makes first coefficients of the differences in a batch. Stored right before a block is transformed, they would be late
    /// for loads of 16 bytes.
    /// - Returns: false for a value that no block can have.
    private func addDifferences(_ count: Int, _ dcValues: inout InlineArray<3, Int32>) -> Bool {
        for number in 0..<count {
            let block = batch.blocks + number
            let (coefficients, component) = (BlockBatch.coefficients(block), Int(block.pointee.component))
            let value = dcValues[component] &+ Int32(coefficients[0])
            guard value.magnitude <= BlockReader.mostDC else { return false }
            dcValues[component] = value
            let first = value &* block.pointee.firstStep
            block.pointee.mean = first
            coefficients[0] = Int16(truncatingIfNeeded: first)
        }
        return true
    }

    /// Makes the samples of a batch's blocks, and sets their coefficients to 0.
    private func makeSamples(_ units: Int, _ places: inout [Place]) {
        var first = batch.blocks
        for index in places.indices {
            let place = places[index]
            let (across, side, stride) = (place.horizontal, place.side, place.stride)
            for y in 0..<place.vertical {
                for x in 0..<across {
                    var (block, samples) = (first, place.samples + (y &* stride &+ x) &* side)
                    for _ in 0..<units {
                        makeSamples(of: block, side, to: samples, stride)
                        block += layout.unit.count
                        samples += across &* side
                    }
                    first += 1
                }
            }
            places[index].samples += units &* across &* side
        }
    }

    @inline(__always)
    private func makeSamples(
        of block: UnsafeMutablePointer<BlockBatch.Block>, _ side: Int,
        to samples: UnsafeMutablePointer<UInt8>,
        _ stride: Int
    ) {
        let coefficients = BlockBatch.coefficients(block)
        if side > 1, block.pointee.end > 1 {
            kernels.inverse(coefficients, side: side, to: samples, stride: stride)
        } else {
            let mean = side > 1 ? Int32(coefficients[0]) : block.pointee.mean
            FlatBlock.fill(samples, side, stride, with: FlatBlock.mean(mean))
            coefficients[0] = 0
        }
    }
}
