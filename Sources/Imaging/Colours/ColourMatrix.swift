// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// A 3 × 3 matrix, stored row by row.
struct ColourMatrix: Equatable {
    var rows: [[Double]]

    /// A component of a colour below this value, in linear sRGB, puts the colour outside sRGB. The margin of
    /// 0.005 absorbs rounding errors.
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

    /// Nil if the matrix is singular, or so nearly singular that its inverse would be useless.
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
    /// Converts linear light of these primaries to CIE XYZ, where white has Y = 1. Nil if the coordinates
    /// describe no possible colours.
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

    /// Converts linear light of these primaries to linear light of `other`. Bradford's adaptation (ICC.1:2022
    /// annex E) maps white to white, as the relative colorimetric intent asks. Nil if the coordinates describe no
    /// possible colours.
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

    /// True if these primaries make colours outside sRGB.
    var exceedSRGB: Bool {
        conversion(to: .sRGB)?.rows.joined().contains { $0 < ColourMatrix.leastOutside } ?? false
    }

    /// The weights of red, green and blue in luminance.
    var luminance: [Double]? { toXYZ?.rows[1] }
}

extension Chromaticities.Point {
    fileprivate var xyz: [Double] { [x / y, 1, (1 - x - y) / y] }
}
