// SPDX-License-Identifier: Apache-2.0
// ITU-T T.81 §G: one scan and its state. The decoder holds a strip's blocks as far as they are known. 64 bits for each block tell
// which of its coefficients are not zero, so that a refinement can skip all others at once.

/// Reads one scan of a progressive frame, strip by strip.
struct ProgressiveScan {
    private let layout: ScanLayout.Part
    private var reader: BitReader
    /// The latest DC value of each component.
    private var dcValues: InlineArray<3, Int32> = [0, 0, 0]
    /// The number of following blocks that have no more coefficients in this band (end-of-band run).
    private var ended = 0
    private var unitsLeft: Int
    private var unitsToRestart: Int
    private var restarts = 0

    init(_ layout: ScanLayout.Part) {
        self.layout = layout
        reader = BitReader(at: layout.data)
        unitsLeft = layout.units
        unitsToRestart = layout.restartInterval == 0 ? .max : layout.restartInterval
    }

    /// Reads a strip of units with the first coefficients of several components.
    mutating func readUnits(
        _ file: RawSpan, _ tables: Span<UInt32>, _ strips: [CoefficientStrip], across: Int
    ) throws(JPEGLaneRefusal) {
        for unit in 0..<across {
            for member in layout.members {
                let strip = strips[member.component]
                for y in 0..<member.vertical {
                    let block = y * strip.across + unit * member.horizontal
                    for x in 0..<member.horizontal {
                        guard readDC(file, tables, member, strip, block + x) else { throw .oddData }
                    }
                }
            }
            try pass(1, file)
        }
        guard !reader.isPastEnd else { throw .oddData }
    }

    /// Reads rows of blocks of a single component.
    mutating func readRows(
        _ file: RawSpan, _ tables: Span<UInt32>, _ strip: CoefficientStrip, rows: Int
    ) throws(JPEGLaneRefusal) {
        let member = layout.members[0]
        let band = Self.places(from: layout.band.lowerBound) & Self.places(through: layout.band.upperBound)
        for row in 0..<rows {
            var block = row * strip.across
            let end = block + member.blocksAcross
            while block < end {
                var passed = 1
                if layout.band.lowerBound == 0 {
                    guard readDC(file, tables, member, strip, block) else { throw .oddData }
                } else if layout.high > 0 {
                    if ended > 0, strip.isZero(in: band, block) {
                        // The block has no coefficients to refine.
                        ended -= 1
                    } else {
                        guard refine(file, tables, member, strip, block) else { throw .oddData }
                    }
                } else if ended > 0 {
                    // These blocks have no coefficients in this scan.
                    passed = min(ended, end - block, unitsToRestart)
                    ended -= passed
                } else {
                    guard readBand(file, tables, member, strip, block) else { throw .oddData }
                }
                block += passed
                try pass(passed, file)
            }
        }
        guard !reader.isPastEnd else { throw .oddData }
    }

    /// Counts units, and reads the marker at the end of a restart interval or of the scan.
    @inline(__always)
    private mutating func pass(_ units: Int, _ file: RawSpan) throws(JPEGLaneRefusal) {
        unitsLeft &-= units
        unitsToRestart &-= units
        if unitsLeft == 0 || unitsToRestart == 0 { try takeMarker(file) }
    }

    /// T.81 §E.2.4: the markers are RST0 to RST7 in turn. Another marker follows the last unit.
    @inline(never)
    private mutating func takeMarker(_ file: RawSpan) throws(JPEGLaneRefusal) {
        guard ended == 0, let found = reader.marker(in: file) else { throw .oddData }
        guard unitsLeft > 0 else {
            guard !(0xD0...0xD7).contains(found.marker) else { throw .oddData }
            return
        }
        // Cannot trap: the remainder is 0 to 7.
        guard found.marker == 0xD0 + UInt8(restarts % 8) else { throw .oddData }
        restarts += 1
        unitsToRestart = layout.restartInterval
        (reader, dcValues) = (found.next, [0, 0, 0])
    }

    // MARK: Blocks. False means that a block breaks a rule.

    @inline(__always)
    private mutating func readDC(
        _ file: RawSpan, _ tables: Span<UInt32>, _ member: ScanLayout.Part.Member, _ strip: CoefficientStrip,
        _ block: Int
    ) -> Bool {
        var coefficients = MutableSpan(_unsafeElements: strip.coefficients)
        guard layout.high == 0 else {
            reader.fill(from: file)
            let bit = Int16(truncatingIfNeeded: reader.bits &>> 63) &<< Int16(truncatingIfNeeded: layout.low)
            reader.take(1)
            coefficients[block &* 64] |= bit
            return true
        }
        var value = dcValues[member.component]
        guard
            BlockReader.readDC(
                &reader, from: file, by: tables, at: member.table, &value)
        else { return false }
        dcValues[member.component] = value
        let shifted = Int(value) &<< layout.low
        coefficients[block &* 64] = Int16(truncatingIfNeeded: shifted)
        return shifted.magnitude <= BlockReader.mostDC
    }

    /// §G.1.2.2: coefficients as in a baseline scan, without their lowest bits, and end-of-band runs.
    @inline(__always)
    private mutating func readBand(
        _ file: RawSpan, _ tables: Span<UInt32>, _ member: ScanLayout.Part.Member, _ strip: CoefficientStrip,
        _ block: Int
    ) -> Bool {
        var coefficients = MutableSpan(_unsafeElements: strip.coefficients)
        var shaped = MutableSpan(_unsafeElements: strip.shaped)
        let (start, last, low) = (block &* 64, layout.band.upperBound, layout.low)
        var (reader, index, found) = (reader, layout.band.lowerBound, shaped[block])
        while index <= last {
            reader.fill(from: file)
            let entry = tables[member.table &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
            var (run, number) = (
                Int(truncatingIfNeeded: entry &>> 8 & 15), Int(Int32(bitPattern: entry) &>> 16)
            )
            if number != 0 {
                reader.take(Int(truncatingIfNeeded: entry & 31))
            } else {
                guard let (zeros, size) = BlockReader.symbol(&reader, entry, by: tables, at: member.table)
                else { return false }
                if size == 0 {
                    if zeros == 15 {
                        index &+= 16
                        // A coefficient must follow.
                        if index > last { return false }
                        continue
                    }
                    // The run includes this block.
                    ended = Self.endOfBands(&reader, zeros) &- 1
                    break
                }
                (run, number) = (zeros, HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size))
                reader.take(size)
            }
            index &+= run
            let value = number &<< low
            guard index <= last, value.magnitude <= 32_767 else { return false }
            coefficients[start &+ index] = Int16(truncatingIfNeeded: value)
            found |= 1 &<< UInt64(truncatingIfNeeded: index)
            index &+= 1
        }
        (self.reader, shaped[block]) = (reader, found)
        return true
    }

    /// §G.1.2.3: one more bit of each coefficient that is not zero, and new coefficients that are ±1 in this bit.
    /// Runs count only coefficients that are still zero.
    @inline(__always)
    private mutating func refine(
        _ file: RawSpan, _ tables: Span<UInt32>, _ member: ScanLayout.Part.Member, _ strip: CoefficientStrip,
        _ block: Int
    ) -> Bool {
        var coefficients = MutableSpan(_unsafeElements: strip.coefficients)
        var shaped = MutableSpan(_unsafeElements: strip.shaped)
        let (start, last, low) = (block &* 64, layout.band.upperBound, layout.low)
        var (reader, index, found) = (reader, layout.band.lowerBound, shaped[block])
        while ended == 0, index <= last {
            reader.fill(from: file)
            let entry = tables[member.table &+ Int(truncatingIfNeeded: reader.bits &>> 53)]
            var (run, number) = (
                Int(truncatingIfNeeded: entry &>> 8 & 15), Int(Int32(bitPattern: entry) &>> 16)
            )
            if number != 0 {
                reader.take(Int(truncatingIfNeeded: entry & 31))
            } else {
                guard let (zeros, size) = BlockReader.symbol(&reader, entry, by: tables, at: member.table)
                else { return false }
                run = zeros
                if size > 0 {
                    number = HuffmanTable.number(reader.bits &>> UInt64(64 &- size), bits: size)
                    reader.take(size)
                } else if zeros < 15 {
                    ended = Self.endOfBands(&reader, zeros)
                    break
                }
            }
            guard number.magnitude <= 1 else { return false }
            var free = ~found & Self.places(from: index)
            for _ in 0..<run { free &= free &- 1 }
            let place = free.trailingZeroBitCount
            guard place <= last else { return false }
            let passed = found & Self.places(from: index) & ~Self.places(from: place)
            Self.correct(passed, &reader, file, &coefficients, start, low)
            if number != 0 {
                coefficients[start &+ place] = Int16(truncatingIfNeeded: number &<< low)
                found |= 1 &<< UInt64(truncatingIfNeeded: place)
            }
            index = place &+ 1
        }
        if ended > 0 {
            if index <= last {
                let rest = found & Self.places(from: index) & Self.places(through: last)
                Self.correct(rest, &reader, file, &coefficients, start, low)
            }
            ended &-= 1
        }
        (self.reader, shaped[block]) = (reader, found)
        return true
    }

    /// Reads one correction bit for each of these coefficients, from the lowest place on.
    @inline(__always)
    private static func correct(
        _ places: UInt64, _ reader: inout BitReader, _ file: RawSpan,
        _ coefficients: inout MutableSpan<Int16>, _ start: Int, _ low: Int
    ) {
        var (left, available) = (places, 0)
        let step = Int16(truncatingIfNeeded: 1 &<< low)
        while left != 0 {
            if available == 0 {
                reader.fill(from: file)
                available = 32
            }
            // Increases the magnitude. There is no branch, because the bits are as good as random.
            let place = start &+ left.trailingZeroBitCount
            let value = coefficients[place]
            let (sign, more) = (
                value &>> 15, step & Int16(truncatingIfNeeded: Int64(bitPattern: reader.bits) &>> 63)
            )
            coefficients[place] = value &+ (more ^ sign) &- sign
            reader.take(1)
            available &-= 1
            left &= left &- 1
        }
    }

    /// The number of blocks in an end-of-band run, from the symbol's number of extra bits.
    @inline(__always)
    private static func endOfBands(_ reader: inout BitReader, _ bits: Int) -> Int {
        guard bits > 0 else { return 1 }
        let more = Int(truncatingIfNeeded: reader.bits &>> UInt64(truncatingIfNeeded: 64 &- bits))
        reader.take(bits)
        return 1 &<< bits &+ more
    }

    /// The set of these coefficients of a block: a bit for each place in zigzag order.
    /// - Parameter first: 0 to 63.
    @inline(__always)
    private static func places(from first: Int) -> UInt64 { ~0 &<< UInt64(truncatingIfNeeded: first) }

    /// - Parameter last: 0 to 63.
    @inline(__always)
    private static func places(through last: Int) -> UInt64 { ~0 &>> UInt64(truncatingIfNeeded: 63 &- last) }
}
