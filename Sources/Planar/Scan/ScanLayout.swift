// SPDX-License-Identifier: Apache-2.0

/// The arrangement of a scan's blocks, and the sizes of its planes at a fraction of their full size.
struct ScanLayout {
    struct Plane {
        /// Blocks of a unit, across and down.
        let horizontal: Int
        let vertical: Int
        /// Samples in a row of a decoded block: 8, 4, 2 or 1.
        let side: Int
        /// The offset of 64 entries in `tables`, in zigzag order: the quantisation step << 8 | the coefficient's place, row by
        /// row.
        let steps: Int
        /// The picture's size in samples of this plane: 2,725 pixels at a half are 1,362.5.
        let extent: (width: Double, height: Double)
        /// Samples of the picture. At full size, a sample that the picture covers partly counts. At a fraction it
        /// does not, because it is the mean of the picture's edge and of what the encoder filled the block with.
        let width: Int
        let height: Int
        /// Luma's number of samples on an axis where luma has twice as many, at full size.
        var finer: (width: Int?, height: Int?) = (nil, nil)
    }

    /// One scan of a progressive frame.
    struct Part {
        struct Member {
            let component: Int
            /// Blocks of a unit, across and down.
            let horizontal: Int
            let vertical: Int
            /// Blocks of the component that the picture reaches. A scan of this component alone contains only
            /// these.
            let blocksAcross: Int
            let blocksDown: Int
            /// The offset of the Huffman table for this scan.
            let table: Int
        }

        let members: [Member]
        let band: ClosedRange<Int>
        let high: Int
        let low: Int
        let restartInterval: Int
        let data: Int
        /// The number of units if the scan has several components, else the number of blocks.
        let units: Int
    }

    let unitsAcross: Int
    let unitsDown: Int
    let restartInterval: Int
    /// The offset of the coded data.
    let data: Int
    let planes: [Plane]
    /// The readers of each plane's blocks; empty for a progressive frame.
    let readers: [BlockReader]
    /// The readers of a unit's blocks, in the order of the file; empty for a progressive frame.
    let unit: [BlockReader]
    /// The scans that the planes need; empty unless the frame is progressive.
    let parts: [Part]
    /// The tables, one behind the other.
    let tables: [UInt32]

    /// - Parameters:
    ///   - shrink: the fraction at which blocks are decoded: 1, 2, 4 or 8 for 1/1 to 1/8.
    ///   - chromaShrink: the same for chroma of half luma's density, whose blocks cover twice as much of the
    ///     picture.
    ///   - fineChromaShrink: the same for chroma of luma's density; nil means luma's.
    init(
        _ segments: Segments, shrink: Int, chromaShrink: Int, fineChromaShrink: Int? = nil
    ) throws(JPEGLaneRefusal) {
        guard [shrink, chromaShrink, fineChromaShrink ?? shrink].allSatisfy([1, 2, 4, 8].contains) else {
            throw .otherSize
        }
        // Cannot trap: there are one or three components, of one or two blocks on each axis.
        let (across, down) = (segments.components[0].horizontal, segments.components[0].vertical)
        unitsAcross = (segments.width + 8 * across - 1) / (8 * across)
        unitsDown = (segments.height + 8 * down - 1) / (8 * down)
        let isWhole = shrink == 1
        restartInterval = segments.restartInterval
        data = segments.data
        var planes: [Plane] = []
        var readers: [BlockReader] = []
        var tables = TableRow()
        for (index, component) in segments.components.enumerated() {
            let isFine = component.horizontal == across && component.vertical == down
            let shrink = !isFine ? chromaShrink : index == 0 ? shrink : fineChromaShrink ?? shrink
            guard let steps = tables.steps(of: component, segments) else { throw .oddHeader }
            if segments.parts.isEmpty {
                guard
                    let reader = tables.reader(of: index, segments, wantsMeans: shrink == 8)
                else { throw .oddHeader }
                readers.append(reader)
            }
            let width = Double(segments.width * component.horizontal) / Double(across * shrink)
            let height = Double(segments.height * component.vertical) / Double(down * shrink)
            let rule: FloatingPointRoundingRule = shrink == 1 ? .up : .down
            var plane = Plane(
                horizontal: component.horizontal, vertical: component.vertical, side: 8 / shrink,
                steps: steps,
                extent: (width, height),
                // Cannot trap: sides have 16 bits.
                width: max(1, Int(width.rounded(rule))), height: max(1, Int(height.rounded(rule))))
            if isWhole {
                plane.finer.width = component.horizontal < across ? segments.width : nil
                plane.finer.height = component.vertical < down ? segments.height : nil
            }
            planes.append(plane)
        }
        // The first coefficient alone determines a mean.
        let needed = segments.parts.filter {
            $0.band.lowerBound == 0 || planes[$0.members[0].component].side > 1
        }
        var parts: [Part] = []
        for part in needed {
            guard let laidOut = tables.part(part, segments, units: unitsAcross * unitsDown) else {
                throw .oddHeader
            }
            parts.append(laidOut)
        }
        unit = readers.indices.flatMap { index in
            [BlockReader](repeating: readers[index], count: planes[index].horizontal * planes[index].vertical)
        }
        (self.planes, self.readers, self.parts, self.tables) = (planes, readers, parts, tables.words)
    }
}

/// The tables of a scan in one row. Components that share a table refer to one copy, which stays in the nearest
/// cache.
private struct TableRow {
    private enum Table: Hashable {
        case dc(Int), ac(Int), steps(Int), factors(Int), noFactors
        case pairs(dc: Int, ac: Int), passes(dc: Int, ac: Int)
    }

    private(set) var words: [UInt32] = []
    private var starts: [Table: Int] = [:]

    /// - Parameters:
    ///   - index: the component's.
    ///   - wantsMeans: true if only the first coefficient of a block is needed.
    /// Nil if the file lacks a table.
    mutating func reader(of index: Int, _ segments: Segments, wantsMeans: Bool) -> BlockReader? {
        let component = segments.components[index]
        guard let dcTable = segments.dcTables[component.dc], let acTable = segments.acTables[component.ac],
            let quantisation = segments.quantisation[component.quantisation]
        else { return nil }
        let ac = start(of: .ac(component.ac)) { acTable.words }
        let dc = start(of: .dc(component.dc)) { dcTable.words }
        let (entries, differences) = (lookUps(at: ac), lookUps(at: dc))
        let several =
            wantsMeans
            ? start(of: .passes(dc: component.dc, ac: component.ac)) {
                let firstSkips = HuffmanTable.firstSkips(of: differences, entries)
                return HuffmanTable.passes(of: HuffmanTable.skips(of: entries), isFirst: false)
                    + HuffmanTable.passes(of: firstSkips, isFirst: true)
            }
            : start(of: .pairs(dc: component.dc, ac: component.ac)) {
                HuffmanTable.pairs(of: entries) + HuffmanTable.firstPairs(of: differences, entries)
            }
        let factors =
            wantsMeans
            // What is passed over becomes zeros at the last place.
            ? start(of: .noFactors) {
                [1] + [UInt32](repeating: 0, count: 63) + [0] + [UInt32](repeating: 63, count: 63)
            }
            : start(of: .factors(component.quantisation)) {
                [1] + quantisation.dropFirst().map { UInt32($0) } + Self.places
            }
        return BlockReader(
            component: index, dc: dc, ac: ac, several: several, factors: factors,
            firstStep: Int32(quantisation[0]))
    }

    private func lookUps(at start: Int) -> [UInt32] {
        Array(words[start..<start + 1 << HuffmanTable.lookUpBits])
    }

    /// Nil if the file lacks the quantisation table.
    mutating func steps(of component: Segments.Component, _ segments: Segments) -> Int? {
        segments.quantisation[component.quantisation].map { quantisation in
            start(of: .steps(component.quantisation)) { Self.steps(quantisation) }
        }
    }

    /// - Parameter units: the units in the picture.
    /// Nil if the file lacks a table.
    mutating func part(_ part: ScanPart, _ segments: Segments, units: Int) -> ScanLayout.Part? {
        let luma = segments.components[0]
        var members: [ScanLayout.Part.Member] = []
        for member in part.members {
            let component = segments.components[member.component]
            var table = 0
            // A refinement of first coefficients uses no Huffman codes.
            if part.band.lowerBound > 0 || part.high == 0 {
                guard let codes = part.band.lowerBound > 0 ? member.ac : member.dc else { return nil }
                table = words.count
                words += codes.words
            }
            func blocks(_ length: Int, _ own: Int, _ most: Int) -> Int {
                ((length * own + most - 1) / most + 7) / 8
            }
            members.append(
                .init(
                    component: member.component, horizontal: component.horizontal,
                    vertical: component.vertical,
                    blocksAcross: blocks(segments.width, component.horizontal, luma.horizontal),
                    blocksDown: blocks(segments.height, component.vertical, luma.vertical), table: table))
        }
        return ScanLayout.Part(
            members: members, band: part.band, high: part.high, low: part.low,
            restartInterval: part.restartInterval, data: part.data,
            units: members.count > 1 ? units : members[0].blocksAcross * members[0].blocksDown)
    }

    private mutating func start(of table: Table, _ make: () -> [UInt32]) -> Int {
        if let start = starts[table] { return start }
        let start = words.count
        starts[table] = start
        words += make()
        return start
    }

    /// Adds each coefficient's place.
    private static func steps(_ quantisation: [UInt8]) -> [UInt32] {
        zip(quantisation, places).map { step, place in UInt32(step) << 8 | place }
    }

    /// T.81 figure A.6: diagonals that run up and down in turn.
    private static var places: [UInt32] {
        (0..<15).flatMap { diagonal in
            let rows = max(0, diagonal - 7)...min(7, diagonal)
            return (diagonal % 2 == 0 ? rows.reversed() : Array(rows)).map {
                UInt32(truncatingIfNeeded: $0 * 8 + diagonal - $0)
            }
        }
    }
}
