// SPDX-License-Identifier: Apache-2.0

/// Whether it pays to look into the shared store for renditions of an original whose URL the store did not know.
///
/// The store has them only if another URL gave the same bytes, for example where each URL carries a token or a number of its own.
/// Then a look spares a rendering; elsewhere each look is in vain, and costs a request and the wait for it. After `patience` looks in
/// vain only one look in `interval` is made; a look that finds something brings all of them back.
struct LookOdds: Sendable {
    /// Looks in vain in a row. If one look in ten finds something, 32 in a row are in vain once in thirty tries.
    static let patience = 32
    static let interval = 16

    private var inVain = 0
    private var spared = 0

    /// True if the next look must be made; `learn` must follow then.
    mutating func isDue() -> Bool {
        guard inVain >= Self.patience else { return true }
        spared = (spared + 1) % Self.interval
        return spared == 0
    }

    mutating func learn(hasFound: Bool) {
        inVain = hasFound ? 0 : min(inVain + 1, Self.patience)
    }
}
