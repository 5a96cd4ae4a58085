// SPDX-License-Identifier: Apache-2.0

/// How a scan's blocks lie, and how large its planes are at a part of their size.
struct ScanLayout {
    struct Plane {
        let blocks: BlockReader
        /// Blocks of a unit.
        let horizontal: Int
        let vertical: Int
        /// Samples of a block's row: 8, 4, 2 or 1.
        let side: Int
        /// What the picture takes of the plane, in samples: 2,725 pixels at a half are 1,362.5.
        let extent: (width: Double, height: Double)
        /// Samples that stand for the picture. One that the picture fills in part counts where nothing was shrunk;
        /// where it was, it is the mean of the picture's edge and of what the encoder filled the block with.
        let width: Int
        let height: Int
        /// How many samples luma has, where it has twice as many and nothing was shrunk.
        var finer: (width: Int?, height: Int?) = (nil, nil)
    }

    let unitsAcross: Int
    let unitsDown: Int
    let restartInterval: Int
    /// Where the coded data begin.
    let data: Int
    let planes: [Plane]
    /// The tables that the planes' blocks are read by, one behind the other.
    let tables: [UInt32]

    /// - Parameters:
    ///   - shrink: at which part of the size blocks are decoded: 1, 2, 4 or 8.
    ///   - chromaShrink: the same for chroma of half luma's density, whose blocks show twice as much of the picture.
    ///   - fineChromaShrink: the same for chroma of luma's density; nil: as luma.
    init(
        _ segments: Segments, shrink: Int, chromaShrink: Int, fineChromaShrink: Int? = nil
    ) throws(GiveUp) {
        guard [shrink, chromaShrink, fineChromaShrink ?? shrink].allSatisfy([1, 2, 4, 8].contains) else {
            throw .otherSize
        }
        // Cannot trap: the first of one or three components, whose blocks are one or two.
        let (across, down) = (segments.components[0].horizontal, segments.components[0].vertical)
        unitsAcross = (segments.width + 8 * across - 1) / (8 * across)
        unitsDown = (segments.height + 8 * down - 1) / (8 * down)
        let isWhole = shrink == 1
        restartInterval = segments.restartInterval
        data = segments.data
        var planes: [Plane] = []
        var tables = TableRow()
        for (index, component) in segments.components.enumerated() {
            let isFine = component.horizontal == across && component.vertical == down
            let shrink = !isFine ? chromaShrink : index == 0 ? shrink : fineChromaShrink ?? shrink
            guard let blocks = tables.blocks(of: component, segments, wantsSkips: shrink == 8) else {
                throw .oddHeader
            }
            let width = Double(segments.width * component.horizontal) / Double(across * shrink)
            let height = Double(segments.height * component.vertical) / Double(down * shrink)
            let rule: FloatingPointRoundingRule = shrink == 1 ? .up : .down
            var plane = Plane(
                blocks: blocks, horizontal: component.horizontal, vertical: component.vertical,
                side: 8 / shrink,
                extent: (width, height),
                // Cannot trap: sides of 16 bits.
                width: max(1, Int(width.rounded(rule))), height: max(1, Int(height.rounded(rule))))
            if isWhole {
                plane.finer.width = component.horizontal < across ? segments.width : nil
                plane.finer.height = component.vertical < down ? segments.height : nil
            }
            planes.append(plane)
        }
        (self.planes, self.tables) = (planes, tables.words)
    }
}

/// The tables of a scan in one row. What components share stands there once, and stays in the processor's nearest memory.
private struct TableRow {
    private enum Table: Hashable { case dc(Int), ac(Int), pairs(Int), skips(Int), steps(Int) }

    private(set) var words: [UInt32] = []
    private var starts: [Table: Int] = [:]

    /// - Parameter wantsSkips: nothing is read of a block but its mean.
    /// Nil: the file lacks a table.
    mutating func blocks(
        of component: Segments.Component, _ segments: Segments, wantsSkips: Bool
    ) -> BlockReader? {
        guard let dc = segments.dcTables[component.dc], let ac = segments.acTables[component.ac],
            let quantisation = segments.quantisation[component.quantisation]
        else { return nil }
        let codes = start(of: .ac(component.ac)) { ac.words }
        let entries = Array(words[codes..<codes + 1 << HuffmanTable.lookUpBits])
        return BlockReader(
            dc: start(of: .dc(component.dc)) { dc.words }, ac: codes,
            several: wantsSkips
                ? start(of: .skips(component.ac)) { HuffmanTable.skips(of: entries) }
                : start(of: .pairs(component.ac)) { HuffmanTable.pairs(of: entries) },
            steps: start(of: .steps(component.quantisation)) { Self.steps(quantisation) })
    }

    private mutating func start(of table: Table, _ make: () -> [UInt32]) -> Int {
        if let start = starts[table] { return start }
        let start = words.count
        starts[table] = start
        words += make()
        return start
    }

    /// With the place of each coefficient: T.81 figure A.6, diagonals that go up and down in turn.
    private static func steps(_ quantisation: [UInt8]) -> [UInt32] {
        let places = (0..<15).flatMap { diagonal in
            let rows = max(0, diagonal - 7)...min(7, diagonal)
            return (diagonal % 2 == 0 ? rows.reversed() : Array(rows)).map { $0 * 8 + diagonal - $0 }
        }
        let steps = zip(quantisation, places).map { step, place in
            UInt32(step) << 8 | UInt32(truncatingIfNeeded: place)
        }
        return steps + [UInt32](repeating: 64, count: 32)
    }
}
