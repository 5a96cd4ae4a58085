// SPDX-License-Identifier: Apache-2.0

/// A generic cell rate algorithm (GCRA, ITU-T I.371, in its form of virtual scheduling): a leaky bucket, kept
/// as the one number that tells when the next refusal is due. A refusal goes out at once, or is delayed, so
/// that no more than so many leave in a second.
///
/// Clients that are told to come again later may come again at once, and are refused again. A few hundred such
/// connections would keep a loop busy with nothing else, and clients whose pictures are being made would starve. A
/// delayed refusal occupies its connection, and so slows a client that does not wait by itself. Where refusals are few,
/// none is delayed.
struct RefusalLimiter {
    /// Microseconds.
    private let interval, slack, longest: Int64
    private var next: Int64 = 0

    /// - Parameters:
    ///   - interval: milliseconds from one refusal to the next.
    ///   - atOnce: refusals that may leave together after a quiet time.
    ///   - longest: milliseconds that one is delayed at most. Where more come than that allows for, they leave faster:
    ///     nobody is to keep a connection open for long for nothing.
    init(interval: Int, atOnce: Int, longest: Int) {
        self.interval = Int64(interval) * 1000
        slack = self.interval * Int64(max(0, atOnce - 1))
        self.longest = Int64(longest) * 1000
    }

    /// Microseconds for which a refusal that is ready now is to be delayed; 0: not at all.
    mutating func hold(at now: Int64) -> Int64 {
        let due = max(next, now)
        let wait = min(due - now, longest)
        next = now + wait + interval
        return wait <= slack ? 0 : wait
    }
}
