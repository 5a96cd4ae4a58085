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
        let luma = segments.components[0]
        unitsAcross = (segments.width + 8 * luma.horizontal - 1) / (8 * luma.horizontal)
        unitsDown = (segments.height + 8 * luma.vertical - 1) / (8 * luma.vertical)
        restartInterval = segments.restartInterval
        data = segments.data
        var planes: [Plane] = []
        var readers: [BlockReader] = []
        var tables = TableRow()
        for (index, component) in segments.components.enumerated() {
            let isFine = component.horizontal == luma.horizontal && component.vertical == luma.vertical
            let ownShrink = !isFine ? chromaShrink : index == 0 ? shrink : fineChromaShrink ?? shrink
            guard let steps = tables.steps(of: component, segments) else { throw .oddHeader }
            if segments.parts.isEmpty {
                guard let reader = tables.reader(of: index, segments, wantsMeans: ownShrink == 8)
                else { throw .oddHeader }
                readers.append(reader)
            }
            var plane = Plane(component, of: segments, shrink: ownShrink, steps: steps)
            if shrink == 1 {
                plane.finer.width = component.horizontal < luma.horizontal ? segments.width : nil
                plane.finer.height = component.vertical < luma.vertical ? segments.height : nil
            }
            planes.append(plane)
        }
        parts = try Self.parts(of: segments, for: planes, units: unitsAcross * unitsDown, &tables)
        unit = readers.indices.flatMap { index in
            [BlockReader](repeating: readers[index], count: planes[index].horizontal * planes[index].vertical)
        }
        (self.planes, self.readers, self.tables) = (planes, readers, tables.words)
    }

    /// The scans that the planes need: the first coefficient alone determines a mean.
    private static func parts(
        of segments: Segments, for planes: [Plane], units: Int, _ tables: inout TableRow
    ) throws(JPEGLaneRefusal) -> [Part] {
        var parts: [Part] = []
        for part in segments.parts
        where part.band.lowerBound == 0 || planes[part.members[0].component].side > 1 {
            guard let laidOut = tables.part(part, segments, units: units) else { throw .oddHeader }
            parts.append(laidOut)
        }
        return parts
    }
}

extension ScanLayout.Plane {
    /// - Parameters:
    ///   - shrink: the fraction at which the component's blocks are decoded.
    ///   - steps: the offset of its quantisation steps.
    fileprivate init(_ component: Segments.Component, of segments: Segments, shrink: Int, steps: Int) {
        let luma = segments.components[0]
        let width = Double(segments.width * component.horizontal) / Double(luma.horizontal * shrink)
        let height = Double(segments.height * component.vertical) / Double(luma.vertical * shrink)
        let rule: FloatingPointRoundingRule = shrink == 1 ? .up : .down
        self.init(
            horizontal: component.horizontal, vertical: component.vertical, side: 8 / shrink, steps: steps,
            extent: (width, height),
            // Cannot trap: sides have 16 bits.
            width: max(1, Int(width.rounded(rule))), height: max(1, Int(height.rounded(rule))))
    }
}
