// SPDX-License-Identifier: Apache-2.0

/// The header of one of a progressive frame's scans (ITU-T T.81 §G.1.1): a band of coefficients, or a bit more of each.
struct ScanPart {
    struct Member {
        /// Its place in the frame.
        var component: Int
        /// As they are defined at that place of the file.
        var dc: HuffmanTable?
        var ac: HuffmanTable?
    }

    var members: [Member]
    /// The band, in the order of the file (zigzag): 0 alone, or some of 1…63.
    var band: ClosedRange<Int>
    /// The bit that was the lowest known before; 0: nothing was.
    var high: Int
    /// The lowest bit that is known then.
    var low: Int
    /// Units between restarts; 0: none.
    var restartInterval: Int
    /// Where the coded data begin.
    var data: Int
}

/// How well the coefficients of a frame's components are known, scan by scan.
struct ScanProgress {
    /// The lowest bit that is known of each coefficient; −1: none.
    private var bits: [[Int]]

    init(components: Int) { bits = Array(repeating: Array(repeating: -1, count: 64), count: components) }

    /// False if the scan is out of order: it tells again what is known, or leaves bits out.
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

    /// Everything is known to the last bit.
    var isComplete: Bool { bits.allSatisfy { $0.allSatisfy { $0 == 0 } } }
}
