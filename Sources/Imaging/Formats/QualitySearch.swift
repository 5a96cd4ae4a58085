// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Recipes

/// Searches for the quality at which a file has the likeness to its pixels that the recipe demands. This type only decides:
/// the caller encodes with `next`, measures the likeness and records it.
///
/// The first try is the quality at which pictures usually have that likeness. A picture's loss, 1 − likeness, is a multiple
/// of the usual loss (`QualityCurve`), and mostly the same multiple at qualities near by. So a likeness near the target
/// determines the quality without another try. After a likeness far from the target, the estimated quality is tried. Two
/// tries then determine the exponent by which this picture's loss follows the usual loss.
struct QualitySearch: Sendable {
    /// Below 20 no file is worth its bytes; above 95 nothing is gained.
    static let range = 20...95
    static let mostTries = 4
    /// A difference from the target that counts as none, because the measure's own error is larger.
    static let tolerance = 0.01
    /// A try this near to the target determines the quality to 0.007 of likeness (root mean square).
    static let near = 0.05
    /// The range of the loss's exponent.
    private static let powers = 0.3...2.5
    /// A lower bound of the loss, which avoids a division by 0.
    private static let leastLoss = 0.001

    private struct Try {
        var quality: Int
        var likeness: Double
        var loss: Double { max(QualitySearch.leastLoss, 1 - likeness) }
    }

    private let target: Double
    private let curve: QualityCurve
    /// The tries, nearest to the target first.
    private var found: [Try] = []

    /// - Parameter target: the wanted likeness, 0…1.
    init(target: Double, curve: QualityCurve) {
        (self.target, self.curve) = (target, curve)
    }

    var tries: Int { found.count }

    /// The quality to try next; nil if another try would not improve `answer`.
    var next: Int? {
        guard let best = found.first else { return Self.inRange(curve.quality(at: target)) }
        guard tries < Self.mostTries, abs(best.likeness - target) > Self.near else { return nil }
        return untried(after: best)
    }

    /// The quality to write, which may not have been tried; nil before the first try.
    var answer: Int? {
        guard let best = found.first else { return nil }
        guard abs(best.likeness - target) > Self.tolerance, let quality = untried(after: best) else {
            return best.quality
        }
        // A try with full chroma says nothing about the look with half the chroma.
        guard curve.mostForHalfChroma != nil, best.quality >= Quality.fullChroma, quality < Quality.fullChroma
        else { return quality }
        return found.contains { $0.quality == Quality.fullChroma } ? best.quality : Quality.fullChroma
    }

    /// True if a try came near enough to the target to determine its quality.
    var isReached: Bool { found.first.map { target - $0.likeness <= Self.near } ?? false }

    /// True if halving the chroma may cost this picture more than quantisation does: the picture needs a quality that this
    /// likeness hardly ever needs. Full chroma at a lower quality then makes a smaller file, unless noise is the reason for
    /// the high quality (Benchmarks/encoders.md).
    var doubtsHalfChroma: Bool {
        guard let answer, let most = curve.mostForHalfChroma else { return false }
        return answer >= most && curve.quality(at: target) < Double(most - Self.unusual)
    }

    /// The distance from the usual quality at which a quality counts as unusual.
    private static let unusual = 6

    mutating func record(_ quality: Int, likeness: Double) {
        found.append(Try(quality: quality, likeness: likeness))
        found.sort {
            (abs($0.likeness - target), $0.quality) < (abs($1.likeness - target), $1.quality)
        }
    }

    /// An untried quality above the best one that gave too little, and below the lowest one that gave too much. Nil if
    /// there is none.
    private func untried(after best: Try) -> Int? {
        let low = found.filter { $0.likeness < target }.map(\.quality).max() ?? Self.range.lowerBound - 1
        let high = found.filter { $0.likeness >= target }.map(\.quality).min() ?? Self.range.upperBound + 1
        return high - low > 1 ? min(max(Self.inRange(estimate(from: best)), low + 1), high - 1) : nil
    }

    private func estimate(from best: Try) -> Double {
        let ratio = pow(max(Self.leastLoss, 1 - target) / best.loss, 1 / power(of: best))
        return curve.quality(at: 1 - usualLoss(at: best) * ratio)
    }

    private func usualLoss(at attempt: Try) -> Double { 1 - curve.likeness(at: Double(attempt.quality)) }

    /// The exponent by which this picture's loss follows the usual loss; 1 unless two tries determine it.
    private func power(of best: Try) -> Double {
        guard found.count > 1, found[1].quality != best.quality else { return 1 }
        let power = log(found[1].loss / best.loss) / log(usualLoss(at: found[1]) / usualLoss(at: best))
        return min(max(power, Self.powers.lowerBound), Self.powers.upperBound)
    }

    private static func inRange(_ quality: Double) -> Int {
        Int(min(max(quality, Double(range.lowerBound)), Double(range.upperBound)).rounded())
    }
}
