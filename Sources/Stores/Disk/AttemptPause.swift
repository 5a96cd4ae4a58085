// SPDX-License-Identifier: Apache-2.0

/// Pauses between attempts, so that a folder that is replaced again and again is not reopened every second, and one with a file that
/// cannot be removed is not swept all the time: 2, 4, 8 looks and so on, up to `longest`. After as many looks without an attempt,
/// the pauses begin anew.
struct AttemptPause {
    /// The longest pause in looks; a power of 2.
    let longest: Int
    private var length = 2
    private var end = 0

    init(longest: Int) { self.longest = longest }

    func isOver(afterTick tick: Int) -> Bool { tick >= end }

    mutating func lengthen(from tick: Int) {
        if tick - end > longest { length = 2 }
        end = tick + length
        length = min(length * 2, longest)
    }
}
