// SPDX-License-Identifier: Apache-2.0

/// A search for the quality at which a file is as like its pixels as the recipe demands. It only decides: the caller
/// encodes with `next`, measures the likeness and records it.
///
/// The first try is the quality at which pictures usually have that likeness. The picture's own likeness at that quality
/// tells how far it is from the curve, and two tries tell how it changes, so that two are mostly enough.
struct QualitySearch: Sendable {
    /// Below 20 nothing is worth its bytes, above 95 nothing is gained.
    static let range = 20...95
    static let mostTries = 4
    /// How far from the target a likeness is as good: half of what makes a step that can be seen side by side.
    static let tolerance = 0.015
    /// The likeness that a step of quality gains, at the least and at the most.
    private static let slopes = 0.002...0.03

    private struct Try {
        var quality: Int
        var likeness: Double
    }

    private let target: Double
    private let curve: QualityCurve
    /// The nearest to the target first.
    private var found: [Try] = []

    /// - Parameter target: 0…1.
    init(target: Double, curve: QualityCurve) {
        (self.target, self.curve) = (target, curve)
    }

    var tries: Int { found.count }

    /// The quality to try now; nil if `answer` is as good as it gets.
    var next: Int? {
        guard let best = found.first else { return Self.inRange(curve.quality(at: target)) }
        guard tries < Self.mostTries, abs(best.likeness - target) > Self.tolerance else { return nil }
        let guess = Self.inRange(estimate(from: best))
        // Above the best quality that gave too little, and below the lowest that gave too much.
        let low = found.filter { $0.likeness < target }.map(\.quality).max() ?? Self.range.lowerBound - 1
        let high = found.filter { $0.likeness >= target }.map(\.quality).min() ?? Self.range.upperBound + 1
        return high - low > 1 ? min(max(guess, low + 1), high - 1) : nil
    }

    /// The quality whose likeness was nearest to the target, the lowest of equals.
    var answer: Int? { found.first?.quality }

    mutating func record(_ quality: Int, likeness: Double) {
        found.append(Try(quality: quality, likeness: likeness))
        found.sort {
            (abs($0.likeness - target), $0.quality) < (abs($1.likeness - target), $1.quality)
        }
    }

    private func estimate(from best: Try) -> Double {
        guard found.count > 1, found[1].quality != best.quality else {
            return Double(best.quality) + curve.quality(at: target) - curve.quality(at: best.likeness)
        }
        let slope = (found[1].likeness - best.likeness) / Double(found[1].quality - best.quality)
        let gain = min(max(slope, Self.slopes.lowerBound), Self.slopes.upperBound)
        return Double(best.quality) + (target - best.likeness) / gain
    }

    private static func inRange(_ quality: Double) -> Int {
        Int(min(max(quality, Double(range.lowerBound)), Double(range.upperBound)).rounded())
    }
}
