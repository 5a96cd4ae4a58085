// SPDX-License-Identifier: Apache-2.0

/// The tables of a scan in one row. Components that share a table refer to one copy, which stays in the nearest
/// cache.
struct TableRow {
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
        var members: [ScanLayout.Part.Member] = []
        for member in part.members {
            guard let laidOut = self.member(member, of: part, segments) else { return nil }
            members.append(laidOut)
        }
        return ScanLayout.Part(
            members: members, band: part.band, high: part.high, low: part.low,
            restartInterval: part.restartInterval, data: part.data,
            units: members.count > 1 ? units : members[0].blocksAcross * members[0].blocksDown)
    }

    /// Nil if the file lacks a table.
    private mutating func member(
        _ member: ScanPart.Member, of part: ScanPart, _ segments: Segments
    ) -> ScanLayout.Part.Member? {
        let (component, luma) = (segments.components[member.component], segments.components[0])
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
        return ScanLayout.Part.Member(
            component: member.component, horizontal: component.horizontal, vertical: component.vertical,
            blocksAcross: blocks(segments.width, component.horizontal, luma.horizontal),
            blocksDown: blocks(segments.height, component.vertical, luma.vertical), table: table)
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
