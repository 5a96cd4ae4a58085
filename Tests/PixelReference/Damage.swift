// SPDX-License-Identifier: Apache-2.0

extension Canvas {
    /// Noise of so many levels to both sides.
    package func noisy(_ levels: Int) -> Canvas {
        var state: UInt64 = 42
        var copy = self
        for index in samples.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Int(state >> 33) % (2 * levels + 1) - levels
            copy.samples[index] = UInt8(min(max(Int(samples[index]) + noise, 0), 255))
        }
        return copy
    }

    /// Means of squares of so many pixels a side around each.
    package func soft(_ side: Int) -> Canvas {
        Canvas(width, height) { x, y in
            let (columns, rows) = (
                max(0, x - side / 2)...min(width - 1, x + side / 2),
                max(0, y - side / 2)...min(height - 1, y + side / 2)
            )
            var sums = [Int](repeating: 0, count: bands)
            for row in rows {
                for column in columns {
                    let start = (row * width + column) * bands
                    for band in 0..<bands { sums[band] += Int(samples[start + band]) }
                }
            }
            return sums.map { UInt8($0 / (columns.count * rows.count)) }
        }
    }

    /// Only every so many levels.
    package func posterised(_ step: Int) -> Canvas {
        var copy = self
        for index in samples.indices {
            copy.samples[index] = UInt8(min(255, Int(samples[index]) / step * step + step / 2))
        }
        return copy
    }

    /// Colour in squares of so many pixels a side, each with its first pixel's.
    package func blotched(_ side: Int) -> Canvas {
        func luma(_ p: [UInt8]) -> Int { (299 * Int(p[0]) + 587 * Int(p[1]) + 114 * Int(p[2])) / 1_000 }
        return Canvas(width, height) { x, y in
            let (own, first) = (self[x, y], self[x / side * side, y / side * side])
            let change = luma(own) - luma(first)
            return first.map { UInt8(min(max(Int($0) + change, 0), 255)) }
        }
    }
}
