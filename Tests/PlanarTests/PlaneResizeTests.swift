// SPDX-License-Identifier: Apache-2.0

import Glibc
@testable import Planar
import Testing

/// The resize of planes agrees with Lanczos' formula in double precision.
@Suite struct PlaneResizeTests {
    /// - Parameters:
    ///   - pixels: the pixels of the result.
    ///   - density: how many pixels of the result one sample stands for.
    ///   - picture: the sample at a place.
    private func psnr(
        from size: (Int, Int), extent: (Double, Double), to pixels: (Int, Int), density: Int = 1,
        range: SampleRange = .full, _ kernels: Kernels, _ picture: (Int, Int) -> Double
    ) throws -> Double {
        let samples = (0..<size.1).map { y in
            (0..<size.0).map { x in UInt8(min(max(picture(x, y).rounded(), 0), 255)) }
        }
        let ring = PlaneRing(width: size.0, rows: size.1)
        for (y, row) in samples.enumerated() {
            for (x, sample) in row.enumerated() { ring.place(ofRow: y, count: 1)[x] = sample }
        }
        let plane = ScanLayout.Plane(
            horizontal: 1, vertical: 1, side: 8, steps: 0, extent: extent, width: size.0, height: size.1)
        let plan = ResizePlan.Target(
            PlaneWindow(width: pixels.0, height: pixels.1), density: density, range: range)
        let target = (plan.width, plan.height)
        let spread = (Double(pixels.0) / Double(density), Double(pixels.1) / Double(density))
        let across = try #require(
            LanczosFilter(
                extent: extent.0, available: size.0, target: target.0, spread: spread.0, group: 16,
                gain: range.gain))
        let down = try #require(
            LanczosFilter(extent: extent.1, available: size.1, target: target.1, spread: spread.1, group: 2))
        let resizer = PlaneResizer(plane, (across, down), ring: ring, target: plan, kernels: kernels)
        let exactly = Self.weights(extent.0, size.0, target.0, spread.0)
        let exactlyDown = Self.weights(extent.1, size.1, target.1, spread.1)
        var bytes = [UInt8](repeating: 0, count: target.0 + 16)
        var sum = 0.0
        for y in 0..<target.1 {
            let row = resizer.row(y)
            bytes.withUnsafeMutableBufferPointer {
                PortableFilters.bytes(row, range, to: $0.baseAddress!, width: target.0)
            }
            let column = (0..<size.0).map { x in
                exactlyDown[y].reduce(0) { $0 + Double(samples[$1.place][x]) * $1.weight }
            }
            for x in 0..<target.0 {
                let sample = exactly[x].reduce(0) { $0 + column[$1.place] * $1.weight }
                let (low, high) = (Double(range.bounds.low), Double(range.bounds.high))
                let exact = min(max(sample * range.gain + Double(range.offset) / 64, low), high)
                let error = min(max(Double(row[x]) / 64 + Double(range.offset) / 64, low), high) - exact
                sum += error * error
                #expect(abs(Double(bytes[x]) - exact) < 0.5 + 0.6, "\(x), \(y): \(bytes[x]) for \(exact)")
            }
        }
        return 10 * log10(255 * 255 / max(sum / Double(target.0 * target.1), 1e-9))
    }

    private static func weights(
        _ extent: Double, _ available: Int, _ target: Int, _ spread: Double
    ) -> [[(place: Int, weight: Double)]] {
        func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(.pi * x) / (.pi * x) }
        let step = extent / spread
        let stretch = max(1, step)
        return (0..<target).map { index in
            let centre = (Double(index) + 0.5) * step - 0.5
            let taps = (Int(centre - 3 * stretch) - 2...Int(centre + 3 * stretch) + 2).map { place in
                let x = (Double(place) - centre) / stretch
                return (min(max(place, 0), available - 1), x.magnitude < 3 ? sinc(x) * sinc(x / 3) : 0)
            }
            let sum = taps.reduce(0) { $0 + $1.1 }
            return taps.map { ($0.0, $0.1 / sum) }
        }
    }

    private func zone(_ x: Int, _ y: Int) -> Double {
        127.5 + 127.5 * cos(Double(x * x + y * y) * .pi / 900)
    }

    @Test(arguments: [
        (300, 200, 80, 53), (301, 199, 77, 51), (64, 64, 64, 64), (64, 64, 64, 20), (33, 90, 1, 1),
        (1, 50, 1, 7),
        (50, 1, 13, 1), (1, 1, 1, 1), (25, 25, 40, 40), (500, 20, 13, 3),
    ])
    func `ramps and zone plates come out right to 60 dB`(width: Int, height: Int, w: Int, h: Int) throws {
        for kernels in [Kernels.best, .portable] {
            for fraction in [0, 0.25, 0.5] {
                let extent = (Double(width) + fraction, Double(height) + fraction)
                let ramp = try psnr(from: (width, height), extent: extent, to: (w, h), kernels) { x, y in
                    Double(x * 200 / width + y * 50 / height)
                }
                let plate = try psnr(from: (width, height), extent: extent, to: (w, h), kernels, zone)
                #expect(ramp >= 60 && plate >= 60, "\(kernels), \(fraction): \(ramp), \(plate)")
            }
        }
    }

    @Test(arguments: [(300, 200, 80, 53), (301, 199, 77, 51), (64, 64, 63, 1), (33, 90, 1, 1), (5, 3, 5, 3)])
    func `half of the chroma, and fewer levels, come out right to 55 dB`(
        width: Int, height: Int, w: Int, h: Int
    )
        throws
    {
        for kernels in [Kernels.best, .portable] {
            for range in [SampleRange.full, .limitedLuma, .limitedChroma] {
                let extent = (Double(width) - 0.5, Double(height))
                let plate = try psnr(
                    from: (width, height), extent: extent, to: (w, h), density: 2, range: range, kernels, zone
                )
                #expect(plate >= 55, "\(kernels), \(range): \(plate)")
            }
        }
    }

    /// Kernels combine two rows at once down the columns, and 8 or 16 samples across.
    @Test func `weights come in pairs down the columns, and in eights across`() throws {
        for available in 1...40 {
            for target in [1, available, 2 * available] {
                let extent = Double(available)
                let down = try #require(
                    LanczosFilter(extent: extent, available: available, target: target, group: 2))
                let across = try #require(
                    LanczosFilter(extent: extent, available: available, target: target, group: 16))
                #expect(down.taps.isMultiple(of: 2) && down.taps > 0, "\(available) → \(target)")
                #expect(across.taps == 8 || across.taps.isMultiple(of: 16), "\(available) → \(target)")
                #expect(across.taps >= min(6, available), "\(available) → \(target)")
            }
        }
    }

    @Test func `a filter whose weights are too many is none`() {
        #expect(LanczosFilter(extent: 4_000, available: 4_000, target: 100, group: 16) != nil)
        #expect(LanczosFilter(extent: 4_400, available: 4_400, target: 100, group: 16) == nil)
        #expect(LanczosFilter(extent: 65_535, available: 65_535, target: 1, group: 16) == nil)
    }
}
