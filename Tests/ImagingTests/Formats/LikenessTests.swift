// SPDX-License-Identifier: Apache-2.0

import PixelReference
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

    /// Each damage, with its SSIMULACRA 2 / 100 for the photograph and for the drawing.
    private static let damages: [(of: @Sendable (Canvas) -> Canvas, photograph: Double, drawing: Double)] = [
        ({ $0.noisy(4) }, 0.877, 0.868), ({ $0.noisy(12) }, 0.646, 0.621),
        ({ $0.soft(3) }, 0.835, 0), ({ $0.soft(5) }, 0.663, 0),
        ({ $0.posterised(8) }, 0.886, 0.934), ({ $0.posterised(24) }, 0.567, 0.766),
        ({ $0.blotched(4) }, 0.888, 0), ({ $0.blotched(8) }, 0.787, 0),
    ]

    @Test func `damage counts as SSIMULACRA 2 counts it`() throws {
        let pictures = (photograph(Self.size.width, Self.size.height), Self.drawing())
        var errors: [Double] = []
        for damage in Self.damages {
            errors.append(try TestRenderer.likeness(pictures.0, damage.of(pictures.0)) - damage.photograph)
            errors.append(try TestRenderer.likeness(pictures.1, damage.of(pictures.1)) - damage.drawing)
        }
        #expect(errors.allSatisfy { abs($0) < 0.03 }, "\(errors)")
        let sum = errors.reduce(0) { $0 + abs($1) }
        #expect(sum / Double(errors.count) < 0.01, "\(errors)")
    }

    @Test func `a picture is like itself, whatever its size and bands`() throws {
        for (width, height) in [(1, 1), (1, 9), (9, 1), (17, 33), (200, 3)] {
            for colour: [UInt8] in [[90], [90, 128], [200, 30, 60], [200, 30, 60, 100]] {
                var canvas = Canvas(width, height, of: colour)
                canvas.samples[0] = 255
                #expect(try TestRenderer.likeness(canvas, canvas) > 0.999)
                var other = canvas
                other.samples[0] = 0
                #expect(try TestRenderer.likeness(canvas, other) < 0.995, "\(width) × \(height) \(colour)")
            }
        }
    }

    @Test func `what is transparent has no colour`() throws {
        let (one, other) = (Canvas(40, 40, of: [255, 0, 0, 0]), Canvas(40, 40, of: [0, 90, 255, 0]))
        #expect(try TestRenderer.likeness(one, other) > 0.999)
        #expect(try TestRenderer.likeness(one, Canvas(40, 40, of: [255, 0, 0, 255])) < 0.9)
    }

    @Test func `pictures of two sizes are not compared`() {
        #expect(throws: (any Error).self) {
            try TestRenderer.likeness(Canvas(4, 4, of: [1, 2, 3]), Canvas(4, 5, of: [1, 2, 3]))
        }
    }
}
