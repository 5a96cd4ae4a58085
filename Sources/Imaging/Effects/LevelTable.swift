// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A table of new values for the 256 levels of a band, for any effect that depends on one sample alone.
struct LevelTable: Equatable {
    private let table: [UInt8]

    /// - Parameter curve: maps 0…255 to 0…255. Its result is rounded and clamped to that range.
    init(_ curve: (Double) -> Double) {
        table = (0..<256).map { UInt8(min(max(curve(Double($0)), 0), 255).rounded()) }
    }

    /// - Parameter levels: the new values of the levels 0…255.
    init(_ levels: [UInt8]) { table = levels }

    subscript(_ level: Int) -> UInt8 { table[level] }

    /// Adds `value` hundredths of the full scale, −100…100.
    static func brightness(_ value: Int) -> LevelTable { LevelTable { $0 + Double(value) * 2.55 } }

    /// Raises each level, as 0…1, to the power of `value`: 1 changes nothing, more is darker.
    static func gamma(_ value: Double) -> LevelTable { LevelTable { 255 * pow($0 / 255, value) } }

    static let inverted = LevelTable { 255 - $0 }

    /// For −100…100: a sigmoid around the middle for more contrast, the inverse for less.
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
