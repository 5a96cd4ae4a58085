// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which qualities to try on the way to the smallest file that is like enough. Decides only: whoever asks encodes with
/// `next`, measures, and reports what came of it.
///
///     misses |-----------| meets          likeness grows with quality
///           low    next   high
///
/// What an encoder loses falls by about a thirtieth with each step of quality, so that the logarithm of the loss is
/// nearly a line, and the next guess is where the line meets the target. Each guess leaves an interval that the tries
/// which remain can halve down to `resolution`.
struct QualitySearch: Sendable {
    /// Below 20 nothing is worth its bytes, above 95 nothing is gained.
    static let range = 20...95
    static let mostTries = 5
    /// Steps of quality: how far below the answer a quality may lie that would have done.
    static let resolution = 5
    /// Steps of quality between two tries that are worth no further try.
    private static let fineness = 3
    /// Of the loss that is allowed: a file that leaves no more than this unused is small enough.
    private static let slack = 0.03
    /// By how much the logarithm of the loss falls with a step of quality, until two tries tell better.
    private static let usualSlope = 0.033

    private struct Try {
        var quality: Int
        /// ln(1 − likeness).
        var loss: Double
    }

    private let target: Double
    private let start: Int
    private var low: Try?
    private var high: Try?
    private(set) var tries = 0

    /// - Parameters:
    ///   - target: 0…1.
    ///   - start: the quality to try first.
    init(target: Double, start: Int) {
        self.target = Self.loss(target)
        self.start = min(max(start, Self.range.lowerBound), Self.range.upperBound)
    }

    /// The quality to try now; nil if `answer` is as good as it gets.
    var next: Int? {
        guard tries < Self.mostTries else { return nil }
        guard tries > 0 else { return start }
        if let high, target - high.loss < Self.slack { return nil }
        let (below, above) = (
            low?.quality ?? Self.range.lowerBound - 1, high?.quality ?? Self.range.upperBound + 1
        )
        if above - below <= (high == nil ? 1 : Self.fineness) { return nil }
        let left = Self.mostTries - tries - 1
        // Where nothing has met the target, the best there is ends the search.
        if left == 0, high == nil { return Self.range.upperBound }
        let reach = Self.resolution << left
        let guess = min(max(estimate, above - reach), below + reach)
        return min(max(guess, below + 1), above - 1)
    }

    /// The smallest quality that met the target, or the highest that was tried.
    var answer: Int? { high?.quality ?? low?.quality }

    mutating func record(_ quality: Int, likeness: Double) {
        tries += 1
        let result = Try(quality: quality, loss: Self.loss(likeness))
        if result.loss <= target {
            if quality < high?.quality ?? Int.max { high = result }
        } else if quality > low?.quality ?? Int.min {
            low = result
        }
    }

    /// The lowest quality that should meet the target.
    private var estimate: Int {
        guard let known = high ?? low else { return start }
        var slope = Self.usualSlope
        if let low, let high, low.loss > high.loss {
            slope = (low.loss - high.loss) / Double(high.quality - low.quality)
        }
        let steps = ((known.loss - target) / max(slope, 0.001)).rounded(.up)
        return known.quality + Int(min(max(steps, -100), 100))
    }

    private static func loss(_ likeness: Double) -> Double { log(max(1 - likeness, 1e-6)) }
}
