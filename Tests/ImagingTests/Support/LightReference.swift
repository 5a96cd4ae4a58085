// SPDX-License-Identifier: Apache-2.0
// What described colours become in sRGB, in double precision from the definitions: ITU-R BT.2100-2, BT.2390-11, BT.2408-7.

import Glibc
import ImageHeaders

enum LightReference {
    /// A colour of samples 0…1, in sRGB or with other primaries, clipped and rounded.
    static func inSRGB(
        _ numbers: [Double], _ colours: ColourDescription, to target: Chromaticities = .sRGB
    ) -> [UInt8] {
        var light: [Double]
        var peak: Double?
        switch colours.transfer {
        case .sRGB: light = numbers.map(decodeSRGB)
        case .power(let exponent): light = numbers.map { pow($0, exponent) }
        case .poweredSRGB(let exponent): light = numbers.map { decodeSRGB(pow($0, exponent)) }
        case .perceptualQuantizer(let told):
            light = numbers.map { quantized($0) / 203 }
            peak = told
        case .hybridLogGamma:
            let scene = numbers.map { e in
                e <= 0.5 ? e * e / 3 : (exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12
            }
            let y = zip(luminance(colours.primaries), scene).map(*).reduce(0, +)
            light = scene.map { y > 0 ? $0 * pow(y, 0.2) * 1000 / 203 : 0 }
            peak = 1000
        }
        light = convert(light, colours.primaries, to: target)
        if let peak, let most = light.max(), most > 0 {
            let factor = mapped(most * 203, peak: peak) / 203 / most
            light = light.map { $0 * factor }
        }
        return light.map { UInt8((encodeSRGB(min(max($0, 0), 1)) * 255).rounded()) }
    }

    /// PQ samples as cd/m².
    static func quantized(_ number: Double) -> Double {
        let root = pow(number, 1 / 78.84375)
        return 10_000 * pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
    }

    static func number(_ luminance: Double) -> Double {
        let power = pow(luminance / 10_000, 0.1593017578125)
        return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
    }

    private static func mapped(_ luminance: Double, peak: Double) -> Double {
        let white = number(203) / number(peak)
        let knee = 1.5 * white - 0.5
        let e = min(number(luminance) / number(peak), 1)
        if e < knee { return luminance }
        let t = (e - knee) / (1 - knee)
        let p =
            (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
            + (-2 * t * t * t + 3 * t * t) * white
        return quantized(p * number(peak))
    }

    /// XYZ of the primaries, each in the strength that adds up to white.
    static func columns(_ primaries: Chromaticities) -> [[Double]] {
        let columns = [primaries.red, primaries.green, primaries.blue].map(xyz)
        let weights = solve(columns, xyz(primaries.white))
        return zip(columns, weights).map { column, weight in column.map { $0 * weight } }
    }

    private static func luminance(_ primaries: Chromaticities) -> [Double] {
        columns(primaries).map { $0[1] }
    }

    private static func convert(
        _ light: [Double], _ primaries: Chromaticities, to target: Chromaticities
    ) -> [Double] {
        let here = adapted(primaries, to: xyz(Chromaticities.daylight))
        return solve(columns(target), sum(here, light))
    }

    /// The columns adapted to another white (Bradford).
    static func adapted(_ primaries: Chromaticities, to white: [Double]) -> [[Double]] {
        // Columns of the matrix.
        let bradford = [[0.8951, -0.7502, 0.0389], [0.2664, 1.7135, -0.0685], [-0.1614, 0.0367, 1.0296]]
        let (from, to) = (sum(bradford, xyz(primaries.white)), sum(bradford, white))
        return columns(primaries).map { column in
            let cones = sum(bradford, column).enumerated().map { row, cone in cone * to[row] / from[row] }
            return solve(bradford, cones)
        }
    }

    private static func sum(_ columns: [[Double]], _ weights: [Double]) -> [Double] {
        (0..<3).map { row -> Double in (0..<3).map { columns[$0][row] * weights[$0] }.reduce(0, +) }
    }

    private static func xyz(_ point: Chromaticities.Point) -> [Double] {
        [point.x / point.y, 1, (1 - point.x - point.y) / point.y]
    }
}
