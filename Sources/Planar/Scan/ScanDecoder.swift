// SPDX-License-Identifier: Apache-2.0
// A scan's units follow one another in rows. A unit has as many blocks of each component as the component's sampling says (T.81
// §A.2.3). A row of units makes one strip of each plane, in its ring. Numbers and block places that the file's bytes determine
// go through checked access; the addresses of samples are computed here.

/// Decodes the single scan of a JPEG, row of units by row of units, to planes at a fraction of their size.
struct ScanDecoder: ~Copyable, StripDecoder {
    private let file: UnsafeRawBufferPointer
    private let layout: ScanLayout
    private let rings: [PlaneRing]
    private let kernels: Kernels
    private let blocks: UnsafeMutableBufferPointer<Int16>
    /// The layout's, where pointers to them stay valid.
    private let tables: UnsafeMutableBufferPointer<UInt32>
    /// The DC differences of a strip's blocks, if each becomes one sample.
    private let differences: UnsafeMutableBufferPointer<Int16>
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
        blocks = PendingBlock.allocateBlocks()
        tables = .allocate(capacity: layout.tables.count)
        _ = tables.initialize(from: layout.tables)
        differences = .allocate(capacity: layout.hasMeansOnly ? layout.unitsAcross * layout.unit.count : 0)
        differences.initialize(repeating: 0)
    }

    deinit {
        blocks.deallocate()
        tables.deallocate()
        differences.deallocate()
    }

    mutating func decodeStrip() throws(JPEGLaneRefusal) {
        if layout.hasMeansOnly { try decodeMeans() } else { try decodeShapes() }
        strips += 1
    }

    /// Decodes a strip in which not every block becomes one sample.
    private mutating func decodeShapes() throws(JPEGLaneRefusal) {
        let (file, tables) = (file.bytes, Span(_unsafeElements: UnsafeBufferPointer(tables)))
        // Local copies, which can stay in registers.
        var (reader, dcValues) = (reader, dcValues)
        var unit = unitOfStrip
        var pending = PendingBlock(in: blocks)
        defer { pending.finish(by: kernels) }
        for _ in 0..<layout.unitsAcross {
            for index in unit.indices {
                guard unit[index].decode(&reader, file, tables, &dcValues, &pending, kernels) else {
                    throw .oddData
                }
            }
            try pass(1, &reader, file, &dcValues)
        }
        (self.reader, self.dcValues) = (reader, dcValues)
    }

    /// A block of a unit: how it is read, and where its samples go.
    private struct Block {
        let component: Int
        let reader: BlockReader
        let tables: BlockReader.Tables
        let side: Int
        let stride: Int
        /// From this unit's block to the next unit's.
        let advance: Int
        var samples: UnsafeMutablePointer<UInt8>

        /// - Returns: false if the block breaks a rule.
        @inline(__always)
        mutating func decode(
            _ reader: inout BitReader, _ file: RawSpan, _ words: Span<UInt32>,
            _ dcValues: inout InlineArray<3, Int32>, _ pending: inout PendingBlock, _ kernels: Kernels
        ) -> Bool {
            let coefficients = pending.next
            let content = self.reader.readShape(
                &reader, from: file, by: words, tables, dcValue: &dcValues[component], into: coefficients)
            switch content {
            case .odd: return false
            case .shaped where side > 1:
                pending.follow(by: kernels, side: side, to: samples, stride: stride)
            default:
                let mean = FlatBlock.mean(
                    side > 1 ? Int32(coefficients[0]) : dcValues[component] &* self.reader.firstStep)
                FlatBlock.fill(samples, side, stride, with: mean)
                coefficients[0] = 0
            }
            samples += advance
            return true
        }
    }

    /// The blocks of the next strip's first unit, in the order of the file.
    private var unitOfStrip: [Block] {
        strip.enumerated().flatMap { component, place in
            (0..<place.vertical * place.horizontal).map { number in
                let (y, x) = (number / place.horizontal, number % place.horizontal)
                return Block(
                    component: component, reader: place.blocks, tables: pointers(place.blocks),
                    side: place.side,
                    stride: place.stride, advance: place.horizontal * place.side,
                    samples: place.samples + (y * place.stride + x) * place.side)
            }
        }
    }

    private func pointers(_ blocks: BlockReader) -> BlockReader.Tables {
        func start(_ offset: Int, _ count: Int) -> UnsafePointer<UInt32> {
            precondition(offset >= 0 && offset + count <= tables.count)
            // The row of tables is not empty.
            return UnsafePointer(tables.baseAddress.unsafelyUnwrapped) + offset
        }
        let entries = 1 << HuffmanTable.lookUpBits
        let factors = start(blocks.factors, 128)
        return BlockReader.Tables(
            firstPairs: start(blocks.first, entries), pairs: start(blocks.several, entries),
            factors: UnsafeRawPointer(factors).assumingMemoryBound(to: Int32.self), places: factors + 64)
    }

    /// Decodes a strip in which each block becomes one sample.
    private mutating func decodeMeans() throws(JPEGLaneRefusal) {
        let (words, unit) = (layout.tables, layout.unit)
        let (file, tables) = (file.bytes, words.span)
        var (reader, dcValues) = (reader, dcValues)
        var (places, left) = (strip, layout.unitsAcross)
        while left > 0 {
            let units = layout.restartInterval > 0 ? min(left, unitsToRestart) : left
            guard decodeMeans(&reader, file, tables, unit.span, units: units, &places, &dcValues) else {
                throw .oddData
            }
            left -= units
            try pass(units, &reader, file, &dcValues)
        }
        (self.reader, self.dcValues) = (reader, dcValues)
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

    /// Decodes the blocks of units that become one sample each.
    @inline(never)
    private func decodeMeans(
        _ reader: inout BitReader, _ file: RawSpan, _ tables: Span<UInt32>, _ unit: Span<BlockReader>,
        units: Int, _ places: inout [Place], _ dcValues: inout InlineArray<3, Int32>
    ) -> Bool {
        guard
            BlockReader.readMeans(
                &reader, from: file, by: tables, unit, count: units &* unit.count, into: differences)
        else { return false }
        let differences = Span(_unsafeElements: UnsafeBufferPointer(differences))
        var next = 0
        for _ in 0..<units {
            for index in places.indices {
                let (place, step) = (places[index], places[index].blocks.firstStep)
                for y in 0..<place.vertical {
                    for x in 0..<place.horizontal {
                        dcValues[index] &+= Int32(differences[next])
                        guard dcValues[index].magnitude <= BlockReader.mostDC else { return false }
                        place.samples[y * place.stride + x] = FlatBlock.mean(
                            dcValues[index] &* step)
                        next &+= 1
                    }
                }
                places[index].samples += place.horizontal
            }
        }
        return true
    }
}
