// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// The share of each pixel that lies inside an outline: 0…255, exact but for rounding.
///
/// Every line of the outline adds to the pixels of the rows that it crosses the area to its right, signed by its
/// direction. The running sum along a row is then the area that all lines enclose. (Many font renderers work like
/// this.)
struct Coverage {
    let outline: Outline
    let size: PixelSize

    func rendered() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(size.width * size.height)
        var row = [Double](repeating: 0, count: size.width + 2)
        for y in 0..<size.height {
            for index in row.indices { row[index] = 0 }
            for (from, to) in zip(outline.points, outline.points.dropFirst() + outline.points.prefix(1)) {
                Self.add(from, to, y: Double(y), to: &row)
            }
            var sum = 0.0
            for x in 0..<size.width {
                sum += row[x]
                bytes.append(UInt8((min(abs(sum), 1) * 255).rounded()))
            }
        }
        return bytes
    }

    /// Adds the part of a line that lies in the row from `y` to `y + 1`.
    private static func add(_ a: Outline.Point, _ b: Outline.Point, y: Double, to row: inout [Double]) {
        let (upper, lower, sign) = a.y < b.y ? (a, b, 1.0) : (b, a, -1.0)
        let (top, bottom) = (max(upper.y, y), min(lower.y, y + 1))
        guard bottom > top else { return }
        let slope = (lower.x - upper.x) / (lower.y - upper.y)
        let first = upper.x + (top - upper.y) * slope
        let last = first + (bottom - top) * slope
        spread((bottom - top) * sign, from: min(first, last), to: max(first, last), over: &row)
    }

    /// Adds to the row the area to the right of a line of this height between two places in the row. Each pixel gets
    /// its own area less the area of the pixel before, because `rendered` sums along the row.
    private static func spread(
        _ height: Double, from left: Double, to right: Double, over row: inout [Double]
    ) {
        let first = Int(left)
        guard right > Double(first + 1) else {
            let part = (left + right) / 2 - Double(first)
            row[first] += height * (1 - part)
            row[first + 1] += height * part
            return
        }
        // The area to the right of the line, up to this edge: a parabola while the line goes on, then a straight
        // line.
        func area(_ edge: Double) -> Double {
            let inside = min(edge, right) - left
            return height * (inside * inside / (2 * (right - left)) + max(0, edge - right))
        }
        var (before, previous) = (0.0, 0.0)
        for index in first..<min(row.count, Int(right.rounded(.up)) + 1) {
            let total = area(Double(index + 1))
            row[index] += total - before - previous
            (previous, before) = (total - before, total)
        }
    }
}
