// SPDX-License-Identifier: Apache-2.0

/// Searches for the best quality whose file fits a number of bytes. Like `QualitySearch`, this type only
/// decides. It halves the range, because a higher quality gives more bytes.
struct SizeSearch: Sendable {
    /// The most tries for 100 qualities: the highest quality, then the halvings of the range below it.
    static let mostTries = 8

    /// The best quality that fits so far; 0 if none does.
    private(set) var fitting = 0
    /// The lowest quality that does not fit.
    private var tooLarge: Int
    private(set) var tries = 0

    /// - Parameters:
    ///   - highest: the first quality to try, and the highest one wanted.
    ///   - known: a quality that fits and need not be tried; 0 for none.
    init(upTo highest: Int, above known: Int = 0) { (fitting, tooLarge) = (known, highest + 1) }

    /// The quality to try next; nil once `fitting` is the best.
    var next: Int? {
        guard tooLarge - fitting > 1 else { return nil }
        return tries == 0 ? tooLarge - 1 : (fitting + tooLarge) / 2
    }

    mutating func record(_ quality: Int, fits: Bool) {
        tries += 1
        if fits { fitting = max(fitting, quality) } else { tooLarge = min(tooLarge, quality) }
    }
}
