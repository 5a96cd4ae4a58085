// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Three by three numbers, row by row.
struct ColourMatrix: Equatable {
    var rows: [[Double]]

    /// The share of an sRGB primary below which a colour is outside of sRGB, and not by rounding alone.
    static let leastOutside = -0.005

    static func * (left: ColourMatrix, right: ColourMatrix) -> ColourMatrix {
        ColourMatrix(
            rows: left.rows.map { row in
                (0..<3).map { column -> Double in
                    (0..<3).map { row[$0] * right.rows[$0][column] }.reduce(0, +)
                }
            })
    }

    static func * (left: ColourMatrix, right: [Double]) -> [Double] {
        left.rows.map { zip($0, right).map(*).reduce(0, +) }
    }

    static func diagonal(_ numbers: [Double]) -> ColourMatrix {
        ColourMatrix(rows: (0..<3).map { row in (0..<3).map { $0 == row ? numbers[row] : 0 } })
    }

    /// Nil if it is singular, or so nearly that nothing sensible comes of it.
    var inverse: ColourMatrix? {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (r, c) = ([(row + 1) % 3, (row + 2) % 3], [(column + 1) % 3, (column + 2) % 3])
            return rows[r[0]][c[0]] * rows[r[1]][c[1]] - rows[r[0]][c[1]] * rows[r[1]][c[0]]
        }
        let determinant = (0..<3).map { rows[0][$0] * minor(0, $0) }.reduce(0, +)
        guard determinant.isFinite, abs(determinant) > 1e-6 else { return nil }
        return ColourMatrix(rows: (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } })
    }
}

extension Chromaticities {
    /// From light of these primaries to CIE XYZ, with a Y of 1 for white; nil for points that make no colours.
    private var toXYZ: ColourMatrix? {
        guard [red, green, blue, white].allSatisfy({ (-1...2).contains($0.x) && (-1...2).contains($0.y) }),
            white.x > 0, white.y > 0.01, white.x + white.y < 1
        else { return nil }
        let points = [red, green, blue]
        let columns = ColourMatrix(rows: [
            points.map(\.x), points.map(\.y), points.map { 1 - $0.x - $0.y },
        ])
        guard let weights = columns.inverse.map({ $0 * white.xyz }) else { return nil }
        return columns * .diagonal(weights)
    }

    /// From light of these primaries to light of others. White becomes white, by Bradford's adaptation (ICC.1:2022
    /// annex E), as relative colorimetric intent has it. Nil for points that make no colours.
    func conversion(to other: Chromaticities) -> ColourMatrix? {
        let cones = ColourMatrix(rows: [
            [0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296],
        ])
        guard let here = toXYZ, let there = other.toXYZ?.inverse, let fromCones = cones.inverse else {
            return nil
        }
        let gains = zip(cones * other.white.xyz, cones * white.xyz).map { $0 / $1 }
        let matrix = there * fromCones * .diagonal(gains) * cones * here
        return matrix.rows.joined().allSatisfy({ abs($0) < 100 }) ? matrix : nil
    }

    /// Some of their colours are outside sRGB.
    var exceedSRGB: Bool {
        conversion(to: .sRGB)?.rows.joined().contains { $0 < ColourMatrix.leastOutside } ?? false
    }

    /// The weights of red, green and blue in luminance.
    var luminance: [Double]? { toXYZ?.rows[1] }
}

extension Chromaticities.Point {
    fileprivate var xyz: [Double] { [x / y, 1, (1 - x - y) / y] }
}
