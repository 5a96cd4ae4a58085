// SPDX-License-Identifier: Apache-2.0

/// A file's own description of its colours in numbers, without an ICC profile.
package struct ColourDescription: Sendable, Hashable {
    /// The conversion from samples to light.
    package enum Transfer: Sendable, Hashable {
        /// IEC 61966-2-1.
        case sRGB
        /// Light is the sample raised to this power; a power of 1 means linear samples.
        case power(Double)
        /// The sRGB curve after this power: what remains of a gamma after a display of gamma 2.2 has undone its
        /// own.
        case poweredSRGB(Double)
        /// SMPTE ST 2084 (PQ): absolute luminance.
        /// - Parameter peak: the peak of the mastering display in cd/m².
        case perceptualQuantizer(peak: Double)
        /// ARIB STD-B67, for a display of 1,000 cd/m².
        case hybridLogGamma
    }

    package var primaries: Chromaticities
    package var transfer: Transfer
    /// Bits of a coded sample.
    package var depth: Int
    /// True if black is 16 and white 235, or multiples of these, and the decoder returns them unchanged.
    package var isLimited: Bool

    package init(primaries: Chromaticities, transfer: Transfer, depth: Int = 8, isLimited: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.depth = depth
        self.isLimited = isLimited
    }

    /// The colours of code points (ITU-T H.273); nil for reserved numbers and for those that no picture uses.
    package init?(codePoints primaries: Int, _ transfer: Int, depth: Int) {
        let points = CodePoints(primaries: primaries, transfer: transfer)
        guard let described = points.description(peak: nil, depth: depth, isLimited: false) else {
            return nil
        }
        self = described
    }

    /// True if every sample means the same as in sRGB.
    package var isSRGB: Bool { transfer == .sRGB && !isLimited && primaries.areSRGB }

    /// True if samples can be brighter than a white page.
    package var isHighRange: Bool {
        switch transfer {
        case .perceptualQuantizer, .hybridLogGamma: true
        default: false
        }
    }

    /// The peak luminance in cd/m² that is assumed if a picture gives none: that of common mastering
    /// displays.
    static let usualPeak = 4_000.0
    /// Plausible peaks in cd/m², from a white page (ITU-R BT.2408) to the maximum of ST 2084.
    private static let peaks = 203.0...10_000.0

    /// - Parameter told: in units of 0.0001 cd/m²; 0 means that no peak is given.
    static func peak(_ told: Int) -> Double? {
        told == 0 ? nil : min(max(Double(told) * 0.0001, peaks.lowerBound), peaks.upperBound)
    }
}

/// CIE 1931 x and y of the three primaries and of white.
package struct Chromaticities: Sendable, Hashable {
    package struct Point: Sendable, Hashable {
        package var x: Double
        package var y: Double

        package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

        fileprivate func isNear(_ other: Point) -> Bool {
            (x - other.x).magnitude < 0.001 && (y - other.y).magnitude < 0.001
        }
    }

    package var red: Point
    package var green: Point
    package var blue: Point
    package var white: Point

    package init(red: Point, green: Point, blue: Point, white: Point = Self.daylight) {
        self.red = red
        self.green = green
        self.blue = blue
        self.white = white
    }

    /// The white point D65.
    package static let daylight = Point(0.3127, 0.329)
    package static let sRGB = Chromaticities(
        red: Point(0.64, 0.33), green: Point(0.3, 0.6), blue: Point(0.15, 0.06))
    package static let displayP3 = Chromaticities(
        red: Point(0.68, 0.32), green: Point(0.265, 0.69), blue: Point(0.15, 0.06))

    /// True if these are the sRGB primaries, allowing for rounding.
    var areSRGB: Bool {
        red.isNear(Self.sRGB.red) && green.isNear(Self.sRGB.green) && blue.isNear(Self.sRGB.blue)
            && white.isNear(Self.daylight)
    }
}
