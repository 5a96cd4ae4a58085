// SPDX-License-Identifier: Apache-2.0

/// A generic cell rate algorithm (GCRA, ITU-T I.371, in its form of virtual scheduling): a leaky bucket, stored as the time at which
/// the next refusal is due. It sends a refusal at once, or delays it, so that the number of refusals per second is bounded.
///
/// Clients that are told to come again later may come again at once, and are refused again. A few hundred such connections would keep
/// a loop busy with nothing else, and starve the clients whose pictures are being made. A delayed refusal occupies its connection,
/// and so slows down a client that does not wait by itself. If refusals are few, none is delayed.
struct RefusalLimiter {
    /// All in microseconds.
    private let interval, slack, longest: Int64
    private var next: Int64 = 0

    /// - Parameters:
    ///   - interval: milliseconds from one refusal to the next.
    ///   - atOnce: refusals that may be sent together after a quiet time.
    ///   - longest: the longest delay in milliseconds. If more refusals come than this allows for, they are sent faster, because no
    ///     client should keep a connection open for long for nothing.
    init(interval: Int, atOnce: Int, longest: Int) {
        self.interval = Int64(interval) * 1000
        slack = self.interval * Int64(max(0, atOnce - 1))
        self.longest = Int64(longest) * 1000
    }

    /// Microseconds for which a refusal that is ready now must be delayed; 0 for no delay.
    mutating func hold(at now: Int64) -> Int64 {
        let due = max(next, now)
        let wait = min(due - now, longest)
        next = now + wait + interval
        return wait <= slack ? 0 : wait
    }
}
