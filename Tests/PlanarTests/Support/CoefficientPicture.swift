// SPDX-License-Identifier: Apache-2.0

import Glibc
import RandomInputs

/// A picture as a JPEG stores it: quantised coefficients, block by block. Its samples are computed here directly from
/// the definition of the DCT (ITU-T T.81 §A.3.3).
struct CoefficientPicture {
    struct Component {
        var horizontal = 1
        var vertical = 1
        /// Blocks of 64 coefficients in zigzag order, row by row.
        var blocks: [[Int]] = []
        var blocksAcross = 0
        var steps: [UInt8] = Array(repeating: 1, count: 64)
    }

    var width: Int
    var height: Int
    var components: [Component]
    /// Units between restart markers; 0 if there are none.
    var restartInterval = 0

    var unitsAcross: Int { (width + 8 * components[0].horizontal - 1) / (8 * components[0].horizontal) }
    var unitsDown: Int { (height + 8 * components[0].vertical - 1) / (8 * components[0].vertical) }

    /// - Parameters:
    ///   - sampling: luma's over chroma's; nil for grey.
    ///   - density: the percentage of coefficients that are not zero.
    static func random(
        _ width: Int, _ height: Int, sampling: (Int, Int)? = (1, 1), density: Int = 12,
        _ random: inout SeededRandom
    ) -> CoefficientPicture {
        var picture = CoefficientPicture(
            width: width, height: height, components: [Component(), Component(), Component()])
        if let sampling {
            (picture.components[0].horizontal, picture.components[0].vertical) = sampling
        } else {
            picture.components.removeLast(2)
        }
        for index in picture.components.indices {
            let component = picture.components[index]
            picture.components[index].blocksAcross = picture.unitsAcross * component.horizontal
            picture.components[index].steps = (0..<64).map { UInt8(3 + $0 / 4) }
            let count = picture.unitsAcross * picture.unitsDown * component.horizontal * component.vertical
            picture.components[index].blocks = (0..<count).map { _ in block(density, &random) }
        }
        return picture
    }

    private static func block(_ density: Int, _ random: inout SeededRandom) -> [Int] {
        var block = [Int](repeating: 0, count: 64)
        block[0] = Int.random(in: -300...300, using: &random)
        guard !random.chance(15) else { return block }
        for index in 1..<64 where random.chance(density) {
            // Mostly small numbers; now and then one with many bits.
            let most = random.chance(3) ? 60 : 6
            block[index] = Int.random(in: -most...most, using: &random)
        }
        return block
    }

    /// Exact samples of a component's blocks at a fraction of their size, each the mean of a square.
    func samples(_ index: Int, shrink: Int) -> [[Double]] {
        let component = components[index]
        let side = 8 / shrink
        let rows = unitsDown * component.vertical * side
        var plane = [[Double]](
            repeating: [Double](repeating: 0, count: component.blocksAcross * side), count: rows)
        for (number, block) in component.blocks.enumerated() {
            let (top, left) = (number / component.blocksAcross * side, number % component.blocksAcross * side)
            let exact = Self.inverse(block.enumerated().map { Double($1 * Int(component.steps[$0])) })
            for y in 0..<8 {
                for x in 0..<8 {
                    plane[top + y / shrink][left + x / shrink] += exact[y * 8 + x] / Double(shrink * shrink)
                }
            }
        }
        return plane.map { $0.map { min(max($0 + 128, 0), 255) } }
    }

    /// The row and column of each coefficient in zigzag order: diagonals that run up and down in turn.
    static let zigzag: [(row: Int, column: Int)] = (0..<15).flatMap { diagonal in
        let rows = Array(max(0, diagonal - 7)...min(7, diagonal))
        return (diagonal % 2 == 0 ? rows.reversed() : rows).map { ($0, diagonal - $0) }
    }

    private static let cosines: [Double] = (0..<64).map { index in
        let (x, u) = (Double(index / 8), Double(index % 8))
        return (u == 0 ? 0.5.squareRoot() : 1) / 2 * cos((2 * x + 1) * u * Double.pi / 16)
    }

    private static func inverse(_ coefficients: [Double]) -> [Double] {
        var columns = [Double](repeating: 0, count: 64)
        for (value, (row, column)) in zip(coefficients, zigzag) where value != 0 {
            for y in 0..<8 { columns[y * 8 + column] += value * cosines[y * 8 + row] }
        }
        var samples = [Double](repeating: 0, count: 64)
        for place in 0..<64 {
            let (row, x) = (place & ~7, place & 7)
            for u in 0..<8 { samples[place] += columns[row + u] * cosines[x * 8 + u] }
        }
        return samples
    }
}
