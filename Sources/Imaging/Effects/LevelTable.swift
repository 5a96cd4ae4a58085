// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A table of new values for the 256 levels of a band: any effect that looks at one number at a time.
struct LevelTable: Equatable {
    private let table: [UInt8]

    /// From 0…255 to 0…255; the result is rounded and cut to that range.
    init(_ curve: (Double) -> Double) {
        table = (0..<256).map { UInt8(min(max(curve(Double($0)), 0), 255).rounded()) }
    }

    /// - Parameter levels: 256, for 0…255.
    init(_ levels: [UInt8]) { table = levels }

    subscript(_ level: Int) -> UInt8 { table[level] }

    /// −100…100 hundredths of the full scale are added.
    static func brightness(_ value: Int) -> LevelTable { LevelTable { $0 + Double(value) * 2.55 } }

    /// Raises to the power of `value`: 1 changes nothing, more is darker.
    static func gamma(_ value: Double) -> LevelTable { LevelTable { 255 * pow($0 / 255, value) } }

    static let inverted = LevelTable { 255 - $0 }

    /// A sigmoid around the middle for more contrast, its inverse for less; −100…100.
    /// https://imagemagick.org/Usage/color_mods/#sigmoidal, with a slope of 0.3 × `value`.
    static func contrast(_ value: Int) -> LevelTable {
        let slope = abs(Double(value)) * 0.3
        func sigmoid(_ x: Double) -> Double { 1 / (1 + exp(slope * (0.5 - x))) }
        let (low, high) = (sigmoid(0), sigmoid(1))
        return LevelTable { level in
            let x = level / 255
            if value > 0 { return 255 * (sigmoid(x) - low) / (high - low) }
            let y = x * (high - low) + low
            return 255 * (0.5 - log((1 - y) / y) / slope)
        }
    }
}
