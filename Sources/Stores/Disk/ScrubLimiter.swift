// SPDX-License-Identifier: Apache-2.0

/// Computes the pauses of the scrub that keep it at its rate.
struct ScrubLimiter: Sendable {
    /// Bytes per second.
    let rate: Int
    /// The shortest pause in milliseconds; shorter ones are added up first.
    let leastPause: Int
    private var owed = 0

    init(rate: Int, leastPause: Int) {
        self.rate = min(max(rate, 1), 1 << 40)
        self.leastPause = max(leastPause, 1)
    }

    /// Milliseconds to pause now, after so many more bytes were read; 0 for no pause yet.
    mutating func pause(after bytes: Int) -> Int {
        owed += min(bytes, 1 << 40)
        // Cannot trap: the rate is 1…2⁴⁰, and `owed` is reset at each pause.
        let milliseconds = owed / rate * 1_000 + owed % rate * 1_000 / rate
        guard milliseconds >= leastPause else { return 0 }
        owed = 0
        return milliseconds
    }
}
