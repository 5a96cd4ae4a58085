// SPDX-License-Identifier: Apache-2.0
//
// ITU-T H.273 (CICP): numbers for primaries (table 2) and transfer characteristics (table 3).

/// Colours described by code points.
struct CodePoints: Hashable {
    var primaries: Int
    var transfer: Int

    /// The colours of the code points; 2, unspecified, means sRGB (ISO/IEC 23000-22 §7.3.6.4). Nil for reserved
    /// numbers and for those that no picture uses.
    func description(peak: Double?, depth: Int, isLimited: Bool) -> ColourDescription? {
        guard let chromaticities = chromaticities, let curve = curve(peak: peak) else { return nil }
        return ColourDescription(
            primaries: chromaticities, transfer: curve, depth: depth, isLimited: isLimited)
    }

    private var chromaticities: Chromaticities? {
        typealias Point = Chromaticities.Point
        let illuminantC = Point(0.31, 0.316)
        switch primaries {
        case 1, 2: return .sRGB
        case 4:
            return Chromaticities(
                red: Point(0.67, 0.33), green: Point(0.21, 0.71), blue: Point(0.14, 0.08), white: illuminantC)
        case 5:
            return Chromaticities(red: Point(0.64, 0.33), green: Point(0.29, 0.6), blue: Point(0.15, 0.06))
        case 6, 7:
            return Chromaticities(red: Point(0.63, 0.34), green: Point(0.31, 0.595), blue: Point(0.155, 0.07))
        case 8:
            return Chromaticities(
                red: Point(0.681, 0.319), green: Point(0.243, 0.692), blue: Point(0.145, 0.049),
                white: illuminantC)
        case 9:
            return Chromaticities(
                red: Point(0.708, 0.292), green: Point(0.17, 0.797), blue: Point(0.131, 0.046))
        case 11:
            return Chromaticities(
                red: Point(0.68, 0.32), green: Point(0.265, 0.69), blue: Point(0.15, 0.06),
                white: Point(0.314, 0.351))
        case 12: return .displayP3
        case 22:
            return Chromaticities(
                red: Point(0.63, 0.34), green: Point(0.295, 0.605), blue: Point(0.155, 0.077))
        default: return nil
        }
    }

    private func curve(peak: Double?) -> ColourDescription.Transfer? {
        switch transfer {
        case 2, 13: .sRGB
        // The table has the curves of cameras. Displays apply ITU-R BT.1886, whose exponent is 2.4 if black is no light;
        // CSS Color 4 and Skia interpret these numbers in the same way.
        case 1, 6, 7, 11, 12, 14, 15: .power(2.4)
        case 4: .power(2.2)
        case 5: .power(2.8)
        case 8: .power(1)
        case 16: .perceptualQuantizer(peak: peak ?? ColourDescription.usualPeak)
        case 17: .power(2.6)
        case 18: .hybridLogGamma
        default: nil
        }
    }
}
