// SPDX-License-Identifier: Apache-2.0

/// The header of one scan of a progressive frame (ITU-T T.81 §G.1.1): it covers a band of coefficients, or one more bit
/// of each.
struct ScanPart {
    struct Member {
        /// The index of the component in the frame.
        var component: Int
        /// The tables as defined at this place of the file.
        var dc: HuffmanTable?
        var ac: HuffmanTable?
    }

    var members: [Member]
    /// The band in zigzag order: 0 alone, or a part of 1…63.
    var band: ClosedRange<Int>
    /// The lowest bit that was known before; 0 if none was.
    var high: Int
    /// The lowest bit that is known after this scan.
    var low: Int
    /// Units between restart markers; 0 if there are none.
    var restartInterval: Int
    /// The offset of the coded data.
    var data: Int
}

/// Which bits of the coefficients are known after each scan.
struct ScanProgress {
    /// The lowest known bit of each coefficient; −1 if none is known.
    private var bits: [[Int]]

    init(components: Int) { bits = Array(repeating: Array(repeating: -1, count: 64), count: components) }

    /// False if the scan is out of order, that is, it repeats known bits or leaves bits out.
    mutating func take(_ part: ScanPart) -> Bool {
        guard part.low <= 13, part.high == 0 || part.high == part.low + 1 else { return false }
        for member in part.members {
            for index in part.band {
                guard bits[member.component][index] == (part.high == 0 ? -1 : part.high),
                    index == 0 || bits[member.component][0] >= 0
                else { return false }
                bits[member.component][index] = part.low
            }
        }
        return true
    }

    /// True if every coefficient is known to its last bit.
    var isComplete: Bool { bits.allSatisfy { $0.allSatisfy { $0 == 0 } } }
}
