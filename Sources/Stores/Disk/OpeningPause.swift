// SPDX-License-Identifier: Apache-2.0

/// Pauses between openings, so that a folder that is replaced again and again is not reopened every
/// second: 2, 4, 8, 16 looks. 16 looks without an opening reset the pause.
struct OpeningPause {
    private static let longest = 16
    private var length = 2
    private var end = 0

    func isOver(afterTick tick: Int) -> Bool { tick >= end }

    mutating func lengthen(from tick: Int) {
        if tick - end > Self.longest { length = 2 }
        end = tick + length
        length = min(length * 2, Self.longest)
    }
}
