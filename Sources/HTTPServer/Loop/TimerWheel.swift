// SPDX-License-Identifier: Apache-2.0

/// A coarse hashed timing wheel (Varghese and Lauck 1987): each key waits in at most one bucket, and each bucket is one tick wide.
///
/// The wheel only says "check this key now". If a deadline moves later, the key stays where it is; its owner notices when the bucket
/// comes up, and schedules the key anew. So the common case (a keep-alive connection that gets another request) touches nothing here.
/// A tick beyond the wheel's reach is put into the last bucket, and handled the same way.
///
/// Buckets are linked lists through `next` and `previous`, so that scheduling and cancelling cost a few writes and no allocation.
/// Twelve bytes for each key.
struct TimerWheel: ~Copyable {
    private static let none: Int32 = -1

    private var heads: [Int32]
    private var next: [Int32]
    private var previous: [Int32]
    /// The tick for which each key was scheduled; `none` if it does not wait.
    private var ticks: [Int32]
    private(set) var now = 0
    /// The number of keys that wait.
    private(set) var count = 0

    /// Ticks are counted from 0 and fit into 31 bits: at 100 ms, 6.8 years.
    init(slots: Int, keys: Int) {
        // Cannot trap: a constant of the loop.
        heads = Array(repeating: Self.none, count: slots)
        // Cannot trap: the number of connections, which the settings limit.
        next = Array(repeating: Self.none, count: keys)
        // Cannot trap: the same number.
        previous = Array(repeating: Self.none, count: keys)
        // Cannot trap: the same number.
        ticks = Array(repeating: Self.none, count: keys)
    }

    /// Schedules the key, so that it comes up at `tick` or before.
    mutating func schedule(_ key: Int, at tick: Int) {
        let tick = Int32(clamping: min(max(tick, now + 1), now + heads.count - 1))
        if ticks[key] != Self.none {
            guard tick < ticks[key] else { return }
            cancel(key)
        }
        let bucket = Int(tick) % heads.count
        ticks[key] = tick
        next[key] = heads[bucket]
        previous[key] = Self.none
        // Cannot trap: keys are slots of connections, of which there are no billions.
        if heads[bucket] != Self.none { previous[Int(heads[bucket])] = Int32(key) }
        // Cannot trap: as above.
        heads[bucket] = Int32(key)
        count += 1
    }

    mutating func cancel(_ key: Int) {
        guard ticks[key] != Self.none else { return }
        let (before, after) = (previous[key], next[key])
        if before == Self.none {
            // Cannot trap: a wheel has buckets.
            heads[Int(ticks[key]) % heads.count] = after
        } else {
            next[Int(before)] = after
        }
        if after != Self.none { previous[Int(after)] = before }
        ticks[key] = Self.none
        count -= 1
    }

    /// Advances to `tick`, and moves every key that came up on the way into `due`.
    mutating func advance(to tick: Int, into due: inout [Int]) {
        guard tick > now else { return }
        // After a long sleep each bucket is emptied once, instead of once for every round that was missed.
        for passed in max(now + 1, tick - heads.count + 1)...tick {
            while heads[passed % heads.count] != Self.none {
                let key = Int(heads[passed % heads.count])
                cancel(key)
                due.append(key)
            }
        }
        now = tick
    }
}
