// SPDX-License-Identifier: Apache-2.0

/// Whether it pays to look into the shared store for renditions of bytes whose URL was new to it.
///
/// They are there only if another URL has the same bytes, as where URLs carry a token or a number of their own. Then a
/// look spares a rendering; elsewhere each is in vain, and costs a request and the wait for it. After `patience` looks
/// in vain one in `interval` is made, and one that finds something brings all of them back.
struct LookOdds: Sendable {
    /// Looks in vain in a row: with something to be found one time in ten, there are as many once in thirty tries.
    static let patience = 32
    static let interval = 16

    private var inVain = 0
    private var spared = 0

    /// True if this look is to be made; `learn` follows.
    mutating func isDue() -> Bool {
        guard inVain >= Self.patience else { return true }
        spared = (spared + 1) % Self.interval
        return spared == 0
    }

    mutating func learn(hasFound: Bool) {
        inVain = hasFound ? 0 : min(inVain + 1, Self.patience)
    }
}
