// SPDX-License-Identifier: Apache-2.0

/// Converts samples under a matrix profile (ICC.1:2022 §8.3.3: three primaries and a tone curve for each) to sRGB or Display
/// P3, by the relative colorimetric intent. lcms computes the same result by way of Lab, in three times the time. Cameras and
/// telephones write hardly any other profiles.
struct MatrixColours {
    /// Linear light of 0…16,384 for each of the 256 levels of the three bands, band after band.
    private let light: [Int32]
    /// From linear light to linear light of the target, row by row; 16,384 stands for 1.
    private let matrix: [Int32]

    /// The target's conversion from XYZ under D50 to linear light.
    enum Target {
        case sRGB, displayP3

        /// The inverse of the primaries, adapted to D50 (Bradford).
        var inverse: [[Double]] {
            switch self {
            // IEC 61966-2-1.
            case .sRGB:
                [
                    [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
                    [0.0719453, -0.2289914, 1.4052427],
                ]
            case .displayP3:
                [
                    [2.4039840, -0.9899069, -0.3976415], [-0.8422229, 1.7988437, 0.0160354],
                    [0.0482059, -0.0974068, 1.2740049],
                ]
            }
        }
    }

    /// Nil if the profile is of another kind or of a high range, or if its black is not black.
    init?(_ profile: [UInt8], to target: Target = .sRGB) {
        guard let kind = ICCProfile(profile), kind.space == .rgb, kind.highRange == nil else { return nil }
        let file = TagTable(bytes: profile)
        guard file.letters(20) == "XYZ ", file.tag("A2B0") == nil, file.tag("A2B1") == nil else { return nil }
        var (light, columns): ([Int32], [[Double]]) = ([], [])
        for band in ["r", "g", "b"] {
            guard let primary = file.tag(band + "XYZ").flatMap(file.xyz),
                let curve = file.tag(band + "TRC").flatMap({ ToneCurve(file, at: $0) })
            else { return nil }
            let values = (0...255).map { curve.value(Double($0) / 255) }
            guard abs(values[0]) < 1e-4, values.allSatisfy({ (-0.01...1.01).contains($0) }) else {
                return nil
            }
            light += values.map { Int32(($0 * 16_384).rounded()) }
            columns.append(primary)
        }
        self.light = light
        let numbers = target.inverse.flatMap { row -> [Double] in
            columns.map { column -> Double in zip(row, column).map { $0 * $1 }.reduce(0, +) * 16_384 }
        }
        // With components of hardly more than 1, no sum of three products exceeds 32 bits.
        guard numbers.allSatisfy({ abs($0) < Self.largestNumber }) else { return nil }
        matrix = numbers.map { Int32($0.rounded()) }
    }

    /// The largest absolute value of a matrix element, on the scale where 16,384 is 1.
    private static let largestNumber = 40_000.0

    /// Converts pixels in place; three bytes a pixel.
    func convert(_ pixels: UnsafeMutableRawBufferPointer) {
        light.withUnsafeBufferPointer { light in
            matrix.withUnsafeBufferPointer { matrix in
                ToneCurve.numbersOfSRGB.withUnsafeBufferPointer { numbers in
                    for pixel in stride(from: 0, to: pixels.count - 2, by: 3) {
                        let red = light[Int(pixels[pixel])]
                        let green = light[256 + Int(pixels[pixel + 1])]
                        let blue = light[512 + Int(pixels[pixel + 2])]
                        for band in 0..<3 {
                            let sum =
                                matrix[3 * band] &* red &+ matrix[3 * band + 1] &* green
                                &+ matrix[3 * band + 2] &* blue
                            let place = min(max((sum &+ 1 << 13) >> 14, 0), 16_384)
                            pixels[pixel + band] = numbers[Int(place)]
                        }
                    }
                }
            }
        }
    }
}
