// SPDX-License-Identifier: Apache-2.0

import Testing

@Suite("Likeness is what SSIMULACRA 2 tells, in hundredths")
struct LikenessTests {
    private static let size = (width: 320, height: 288)

    /// Discs, bars and thin lines.
    private static func drawing() -> Canvas {
        Canvas(size.width, size.height) { x, y in
            if x % 40 == 0 || y % 36 == 0 { return [20, 20, 30] }
            if (x - 160) * (x - 160) + (y - 144) * (y - 144) < 8_000 { return [210, 60, 40] }
            return y > 200 ? [40, 90, 180] : [250, 248, 240]
        }
    }

    // MARK: Damage

    /// Noise of so many levels to both sides.
    private static func noisy(_ canvas: Canvas, _ levels: Int) -> Canvas {
        var state: UInt64 = 42
        var copy = canvas
        for index in copy.samples.indices {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let noise = Int(state >> 33) % (2 * levels + 1) - levels
            copy.samples[index] = UInt8(min(max(Int(copy.samples[index]) + noise, 0), 255))
        }
        return copy
    }

    /// Means of squares of so many pixels a side around each.
    private static func soft(_ canvas: Canvas, _ side: Int) -> Canvas {
        Canvas(canvas.width, canvas.height) { x, y in
            let (columns, rows) = (
                max(0, x - side / 2)...min(canvas.width - 1, x + side / 2),
                max(0, y - side / 2)...min(canvas.height - 1, y + side / 2)
            )
            var sums = [Int](repeating: 0, count: canvas.bands)
            for row in rows {
                for column in columns {
                    for (band, value) in canvas[column, row].enumerated() { sums[band] += Int(value) }
                }
            }
            return sums.map { UInt8($0 / (columns.count * rows.count)) }
        }
    }

    /// Only every so many levels.
    private static func posterised(_ canvas: Canvas, _ step: Int) -> Canvas {
        var copy = canvas
        for index in copy.samples.indices {
            copy.samples[index] = UInt8(min(255, Int(copy.samples[index]) / step * step + step / 2))
        }
        return copy
    }

    /// Colour in squares of so many pixels a side, each with its first pixel's.
    private static func blotched(_ canvas: Canvas, _ side: Int) -> Canvas {
        func luma(_ p: [UInt8]) -> Int { (299 * Int(p[0]) + 587 * Int(p[1]) + 114 * Int(p[2])) / 1_000 }
        return Canvas(canvas.width, canvas.height) { x, y in
            let (own, first) = (canvas[x, y], canvas[x / side * side, y / side * side])
            let change = luma(own) - luma(first)
            return first.map { UInt8(min(max(Int($0) + change, 0), 255)) }
        }
    }

    // MARK: The scale

    /// Each damage, with the likeness that SSIMULACRA 2 tells of the photograph and of the drawing.
    private static let damages: [(of: @Sendable (Canvas) -> Canvas, photograph: Double, drawing: Double)] = [
        ({ noisy($0, 4) }, 0.877, 0.868), ({ noisy($0, 12) }, 0.646, 0.621),
        ({ soft($0, 3) }, 0.835, 0), ({ soft($0, 5) }, 0.663, 0),
        ({ posterised($0, 8) }, 0.886, 0.934), ({ posterised($0, 24) }, 0.567, 0.766),
        ({ blotched($0, 4) }, 0.888, 0), ({ blotched($0, 8) }, 0.787, 0),
    ]

    @Test func `damage counts as SSIMULACRA 2 counts it`() throws {
        let pictures = (photograph(Self.size.width, Self.size.height), Self.drawing())
        var errors: [Double] = []
        for damage in Self.damages {
            errors.append(try Studio.likeness(pictures.0, damage.of(pictures.0)) - damage.photograph)
            errors.append(try Studio.likeness(pictures.1, damage.of(pictures.1)) - damage.drawing)
        }
        #expect(errors.allSatisfy { abs($0) < 0.08 }, "\(errors)")
        #expect(errors.map(abs).reduce(0, +) / Double(errors.count) < 0.025, "\(errors)")
    }

    @Test func `a picture is like itself, whatever its size and bands`() throws {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (17, 33), (200, 3)] {
            for colour: [UInt8] in [[90], [90, 128], [200, 30, 60], [200, 30, 60, 10]] {
                var canvas = Canvas(width, height, of: colour)
                canvas.samples[0] = 255
                #expect(try Studio.likeness(canvas, canvas) > 0.999)
                var other = canvas
                other.samples[0] = 0
                #expect(try Studio.likeness(canvas, other) < 0.995, "\(width) × \(height) \(colour)")
            }
        }
    }

    @Test func `what is transparent has no colour`() throws {
        let (one, other) = (Canvas(40, 40, of: [255, 0, 0, 0]), Canvas(40, 40, of: [0, 90, 255, 0]))
        #expect(try Studio.likeness(one, other) > 0.999)
        #expect(try Studio.likeness(one, Canvas(40, 40, of: [255, 0, 0, 255])) < 0.9)
    }

    @Test func `pictures of two sizes are not compared`() {
        #expect(throws: (any Error).self) {
            try Studio.likeness(Canvas(4, 4, of: [1, 2, 3]), Canvas(4, 5, of: [1, 2, 3]))
        }
    }
}
