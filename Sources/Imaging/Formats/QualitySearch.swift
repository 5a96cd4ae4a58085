// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Recipes

/// A search for the quality at which a file is as like its pixels as the recipe demands. It only decides: the caller
/// encodes with `next`, measures the likeness and records it.
///
/// The first try is the quality at which pictures usually have that likeness. What a picture loses there, 1 - likeness, is a
/// multiple of what pictures usually lose (`QualityCurve`), and mostly the same multiple at qualities near by. So a
/// likeness near to the target tells the quality without another try. After a likeness that is far off, the quality that it
/// tells is tried. Two tries then tell the power by which this picture's loss follows the usual one.
struct QualitySearch: Sendable {
    /// Below 20 nothing is worth its bytes, above 95 nothing is gained.
    static let range = 20...95
    static let mostTries = 4
    /// How far from the target a likeness is as good: less than the measure errs by.
    static let tolerance = 0.01
    /// A try as near to the target as this tells the quality to 0.007 of likeness (root mean square).
    static let near = 0.05
    /// The power of a loss, at the least and at the most.
    private static let powers = 0.3...2.5
    /// Of a picture without any, so that it can be divided by.
    private static let leastLoss = 0.001

    private struct Try {
        var quality: Int
        var likeness: Double
        var loss: Double { max(QualitySearch.leastLoss, 1 - likeness) }
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
        guard tries < Self.mostTries, abs(best.likeness - target) > Self.near else { return nil }
        return untried(after: best)
    }

    /// The quality to write, which may not have been tried; nil before the first try.
    var answer: Int? {
        guard let best = found.first else { return nil }
        guard abs(best.likeness - target) > Self.tolerance, let quality = untried(after: best) else {
            return best.quality
        }
        // A try with all of the chroma tells nothing of what half of it would show.
        guard curve.mostForHalfChroma != nil, best.quality >= Quality.fullChroma, quality < Quality.fullChroma
        else { return quality }
        return found.contains { $0.quality == Quality.fullChroma } ? best.quality : Quality.fullChroma
    }

    /// A try has come as near to the target as tells its quality.
    var isReached: Bool { found.first.map { target - $0.likeness <= Self.near } ?? false }

    /// Half the density of chroma may cost the picture more than quantisation does: it takes a quality that such a likeness
    /// hardly ever takes. All of it at a lower quality has fewer bytes then, unless it is noise that wants the quality
    /// (Benchmarks/encoders.md).
    var doubtsHalfChroma: Bool {
        guard let answer, let most = curve.mostForHalfChroma else { return false }
        return answer >= most && curve.quality(at: target) < Double(most - Self.unusual)
    }

    /// Steps of quality above the usual one.
    private static let unusual = 6

    mutating func record(_ quality: Int, likeness: Double) {
        found.append(Try(quality: quality, likeness: likeness))
        found.sort {
            (abs($0.likeness - target), $0.quality) < (abs($1.likeness - target), $1.quality)
        }
    }

    /// Above the best quality that gave too little, and below the lowest that gave too much; nil: nothing lies between.
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

    /// By which power this picture's loss goes with the usual one, as far as two tries tell.
    private func power(of best: Try) -> Double {
        guard found.count > 1, found[1].quality != best.quality else { return 1 }
        let power = log(found[1].loss / best.loss) / log(usualLoss(at: found[1]) / usualLoss(at: best))
        return min(max(power, Self.powers.lowerBound), Self.powers.upperBound)
    }

    private static func inRange(_ quality: Double) -> Int {
        Int(min(max(quality, Double(range.lowerBound)), Double(range.upperBound)).rounded())
    }
}
