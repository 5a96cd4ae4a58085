// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Recipes

/// CIE L*a*b* under D65, as libvips computes it: sRGB (IEC 61966-2-1) → XYZ → Lab (CIE 15).
struct LabColour {
    /// 0…100.
    var lightness: Double
    var a: Double
    var b: Double

    private static let white = [0.95047, 1, 1.08883]
    private static let toXYZ = [
        [0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
    private static let fromXYZ = [
        [3.2404542, -1.5371385, -0.4985314], [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]

    init(lightness: Double, a: Double, b: Double) {
        self.lightness = lightness
        self.a = a
        self.b = b
    }

    /// The colour's alpha is ignored.
    init(_ colour: Color) {
        let light = [colour.red, colour.green, colour.blue].map { ToneCurve.sRGB.value(Double($0) / 255) }
        let f = zip(Self.multiply(Self.toXYZ, light), Self.white).map { Self.response($0 / $1) }
        self.init(lightness: 116 * f[1] - 16, a: 500 * (f[0] - f[1]), b: 200 * (f[1] - f[2]))
    }

    /// Red, green and blue; outside 0…255 if sRGB has no such colour.
    var rgb: [Double] {
        let y = (lightness + 16) / 116
        let xyz = zip([y + a / 500, y, y - b / 200], Self.white).map { Self.stimulus($0) * $1 }
        return Self.multiply(Self.fromXYZ, xyz).map { 255 * ToneCurve.encodedSRGB($0) }
    }

    /// The opaque sRGB colour that clipping gives.
    var inSRGB: Color {
        let numbers = rgb.map { UInt8(min(max($0, 0), 255).rounded()) }
        return Color(red: numbers[0], green: numbers[1], blue: numbers[2])
    }

    /// The colour between this one, at 0, and `other`, at 1.
    func mixed(with other: LabColour, at part: Double) -> LabColour {
        func between(_ from: Double, _ to: Double) -> Double { from + (to - from) * part }
        return LabColour(
            lightness: between(lightness, other.lightness), a: between(a, other.a), b: between(b, other.b))
    }

    private static func multiply(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in zip(row, vector).map(*).reduce(0, +) }
    }

    private static func response(_ t: Double) -> Double { t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116 }

    private static func stimulus(_ f: Double) -> Double {
        let cube = f * f * f
        return cube > 0.008856 ? cube : (f - 16.0 / 116) / 7.787
    }
}
