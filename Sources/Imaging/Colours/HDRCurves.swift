// SPDX-License-Identifier: Apache-2.0
//
// High dynamic range: light that is brighter than a white page, and its mapping to the range of a usual display.
//
// A white page has 203 cd/m² (ITU-R BT.2408-7 §2.2). That luminance is 1 here, and the brightest value of a result.

internal import Glibc

/// The curves of ITU-R BT.2100-2.
enum HDRCurves {
    /// The luminance of a white page, in cd/m².
    static let white = 203.0

    /// The PQ curve (SMPTE ST 2084; BT.2100 table 4): from a signal of 0…1 to cd/m².
    static func luminance(_ number: Double) -> Double {
        let root = pow(min(max(number, 0), 1), 1 / PQ.m2)
        return 10_000 * pow(max(root - PQ.c1, 0) / (PQ.c2 - PQ.c3 * root), 1 / PQ.m1)
    }

    /// The inverse of `luminance`: from cd/m² to a PQ signal of 0…1.
    static func number(_ luminance: Double) -> Double {
        let power = pow(min(max(luminance / 10_000, 0), 1), PQ.m1)
        return pow((PQ.c1 + PQ.c2 * power) / (1 + PQ.c3 * power), PQ.m2)
    }

    private enum PQ {
        static let m1 = 2610.0 / 16384
        static let m2 = 2523.0 / 4096 * 128
        static let c1 = 3424.0 / 4096
        static let c2 = 2413.0 / 4096 * 32
        static let c3 = 2392.0 / 4096 * 32
    }

    /// The HLG curve (ARIB STD-B67; BT.2100 table 5): from a signal to the light of the scene, both 0…1.
    static func scene(_ number: Double) -> Double {
        let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)
        return number <= 0.5 ? number * number / 3 : (exp((number - c) / a) + b) / 12
    }

    /// The system gamma of a display of `peak`: the display shows scene light raised to this power.
    static let systemGamma = 1.2
    /// The peak luminance of the reference display, in cd/m².
    static let peak = 1_000.0

    /// The display mapping of ITU-R BT.2390-11 §5.4.1 (EETF), with black at 0: from the luminance on a display with this
    /// peak to the luminance on a display whose peak is `white`. Luminances below the knee stay as they are.
    static func mapped(_ luminance: Double, peak: Double) -> Double {
        guard peak > white else { return min(luminance, white) }
        let scale = number(peak)
        let most = number(white) / scale
        let knee = 1.5 * most - 0.5
        let told = min(number(luminance) / scale, 1)
        guard told > knee else { return luminance }
        let t = (told - knee) / (1 - knee)
        let (square, cube) = (t * t, t * t * t)
        let spline =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + t) * (1 - knee)
            + (3 * square - 2 * cube) * most
        return self.luminance(spline * scale)
    }
}
