// SPDX-License-Identifier: Apache-2.0

/// Contrast as a factor, as in other services. Pictor's contrast is a sigmoid, set in steps; a factor becomes the sigmoid that is as
/// steep in the middle.
enum ContrastSlope {
    static let range = 0.15...7.0

    /// The step whose slope is nearest to the factor.
    static func steps(_ factor: Double) -> Int {
        let wanted = max(factor, 1 / factor)
        guard wanted > 1 else { return 0 }
        let nearest = (0...100).min { (slope($0) - wanted).magnitude < (slope($1) - wanted).magnitude } ?? 0
        return factor < 1 ? -nearest : nearest
    }

    /// The slope in the middle, u ∕ tanh u with u = 0.075 × steps, as in `LevelTable.contrast`. Calculated with Lambert's continued
    /// fraction.
    private static func slope(_ steps: Int) -> Double {
        let square = 0.075 * Double(steps) * 0.075 * Double(steps)
        var rest = 41.0
        // Cannot trap: a division of Doubles, none of which is 0.
        for odd in stride(from: 39.0, through: 1, by: -2) { rest = odd + square / rest }
        return rest
    }
}
