// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import Glibc
internal import ImageHeaders

/// Converts samples whose colours a file describes without an ICC profile to sRGB or Display P3, by the tables of
/// `cvips_convert_light`.
///
/// Samples become linear light. A matrix converts light to the other primaries. Light brighter than white is mapped below white by
/// the largest of the three components, which keeps the hue. Colours that the target cannot show are clipped, as the relative
/// colorimetric intent asks.
struct LightConversion {
    private let light: [Float]
    private let matrix: [Float]
    private let luminance: [Float]
    private let scene: Gains?
    private let range: Gains?

    /// Factors by which light is multiplied, as a table over the square root of light.
    private struct Gains {
        let factors: [Float]
        let top: Double

        /// - Parameter curve: maps light of 0…`top` to the light that is shown.
        init(upTo top: Double, _ curve: (Double) -> Double) {
            self.top = top
            let last = Int(CVIPS_GAINS) - 1
            factors = (0...last).map { index in
                // Index 0 takes the factor of index 1, because black stays black with any factor and light /
                // light would be 0 / 0.
                let root = Double(max(index, 1)) / Double(last)
                let light = root * root * top
                return Float(curve(light) / light)
            }
        }
    }

    /// Nil if the primaries describe no possible colours.
    /// - Parameter target: the primaries of the result. The result's tone curve is that of sRGB.
    init?(_ colours: ColourDescription, to target: Chromaticities) {
        guard let conversion = colours.primaries.conversion(to: target),
            let weights = colours.primaries.luminance
        else { return nil }
        matrix = conversion.rows.joined().map(Float.init)
        luminance = weights.map(Float.init)
        light = Self.shares(of: colours).map { Float(Self.light($0, by: colours.transfer)) }
        switch colours.transfer {
        case .perceptualQuantizer(let peak):
            scene = nil
            range = Self.range(peak: peak, most: 10_000)
        case .hybridLogGamma:
            // BT.2100, table 5: each component is multiplied by the luminance raised to the power of gamma −
            // 1.
            scene = Gains(upTo: 1) { pow($0, HDRCurves.systemGamma) * HDRCurves.peak / HDRCurves.white }
            range = Self.range(peak: HDRCurves.peak, most: HDRCurves.peak)
        default: (scene, range) = (nil, nil)
        }
    }

    /// - Parameter most: the brightest light that samples can describe, cd/m². The table is twice as long, because the
    ///   matrix can make one of the three components brighter.
    private static func range(peak: Double, most: Double) -> Gains {
        Gains(upTo: 2 * most / HDRCurves.white) {
            HDRCurves.mapped($0 * HDRCurves.white, peak: peak) / HDRCurves.white
        }
    }

    /// The 12-bit samples as shares of the full range: black is 0, white 1.
    private static func shares(of colours: ColourDescription) -> [Double] {
        let numbers = (0..<Int(CVIPS_LIGHTS)).map(Double.init)
        if colours.isLimited { return numbers.map { min(max(($0 - 256) / 3504, 0), 1) } }
        // Samples of fewer than 12 bits fill the upper bits.
        let rest = max(12 - colours.depth, 0)
        return numbers.map { min($0 / Double((4095 >> rest) << rest), 1) }
    }

    private static func light(_ share: Double, by transfer: ColourDescription.Transfer) -> Double {
        switch transfer {
        case .sRGB: ToneCurve.sRGB.value(share)
        case .power(let exponent): pow(share, exponent)
        case .poweredSRGB(let exponent): ToneCurve.sRGB.value(pow(share, exponent))
        case .perceptualQuantizer: HDRCurves.luminance(share) / HDRCurves.white
        case .hybridLogGamma: HDRCurves.scene(share)
        }
    }

    /// The tables that `work` receives are valid only while it runs.
    func withTables<Value>(_ work: (inout cvips_light) -> Value) -> Value {
        light.withUnsafeBufferPointer { light in
            ToneCurve.numbersOfSRGB.withUnsafeBufferPointer { numbers in
                Self.with(scene) { scene in
                    Self.with(range) { range in
                        var tables = cvips_light()
                        tables.light = light.baseAddress
                        tables.numbers = numbers.baseAddress
                        (tables.scene, tables.range) = (scene, range)
                        withUnsafeMutableBytes(of: &tables.luminance) { $0.copyBytes(from: bytes(luminance)) }
                        withUnsafeMutableBytes(of: &tables.matrix) { $0.copyBytes(from: bytes(matrix)) }
                        return work(&tables)
                    }
                }
            }
        }
    }

    private func bytes(_ numbers: [Float]) -> [UInt8] { numbers.withUnsafeBytes { Array($0) } }

    private static func with<Value>(_ gains: Gains?, _ work: (cvips_gain) -> Value) -> Value {
        guard let gains else { return work(cvips_gain(gains: nil, top: 1)) }
        return gains.factors.withUnsafeBufferPointer {
            work(cvips_gain(gains: $0.baseAddress, top: Float(gains.top)))
        }
    }
}
