// SPDX-License-Identifier: Apache-2.0

/// An approximation of the most frequent colour of a picture.
///
/// Colours are counted in cells of 16 levels a side, weighted by alpha. The best cell is the one that counts most
/// together with its neighbours, so that a colour on the border of two cells is not split. The result is the mean of all
/// colours in these cells.
enum DominantColour {
    private static let cells = 16

    /// The colour as `#rrggbb`.
    /// - Parameter rgba: rows from the top, four samples a pixel.
    static func of(_ rgba: [UInt8]) -> String {
        var weights = [Int](repeating: 0, count: cells * cells * cells)
        var sums = [Int](repeating: 0, count: weights.count * 3)
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let cell = (0..<3).reduce(0) { $0 * cells + Int(rgba[start + $1]) / (256 / cells) }
            let alpha = Int(rgba[start + 3])
            weights[cell] += alpha
            for band in 0..<3 { sums[cell * 3 + band] += Int(rgba[start + band]) * alpha }
        }
        var (best, most) = ([Int](), 0)
        for cell in weights.indices where weights[cell] > 0 {
            let around = neighbours(of: cell)
            let weight = around.reduce(0) { $0 + weights[$1] }
            if weight > most { (best, most) = (around, weight) }
        }
        let colour = (0..<3).map { band in
            most == 0 ? 0 : (best.reduce(0) { $0 + sums[$1 * 3 + band] } + most / 2) / most
        }
        return "#" + colour.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The indices of the cells around this one, itself included.
    private static func neighbours(of cell: Int) -> [Int] {
        let place = [cell / (cells * cells), cell / cells % cells, cell % cells]
        let ranges = place.map { max(0, $0 - 1)...min(cells - 1, $0 + 1) }
        return ranges[0].flatMap { r in
            ranges[1].flatMap { g in ranges[2].map { b in (r * cells + g) * cells + b } }
        }
    }
}
