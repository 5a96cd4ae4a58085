// SPDX-License-Identifier: Apache-2.0

/// A search for the best quality whose file has no more than so many bytes. It only decides, as
/// `QualitySearch` does: by halves, because a higher quality gives more bytes.
struct SizeSearch: Sendable {
    /// Tries for 100 qualities: the best one, and the halves of the range below it.
    static let mostTries = 8

    /// The best quality that fits; 0 while none does.
    private(set) var fitting = 0
    /// The lowest quality that does not.
    private var tooLarge: Int
    private(set) var tries = 0

    /// - Parameter highest: the first to try; more is not wanted.
    init(upTo highest: Int) { tooLarge = highest + 1 }

    /// The quality to try now; nil if `fitting` is the best.
    var next: Int? {
        guard tooLarge - fitting > 1 else { return nil }
        return tries == 0 ? tooLarge - 1 : (fitting + tooLarge) / 2
    }

    mutating func record(_ quality: Int, fits: Bool) {
        tries += 1
        if fits { fitting = max(fitting, quality) } else { tooLarge = min(tooLarge, quality) }
    }
}
