// SPDX-License-Identifier: Apache-2.0

/// Jitter on the timeouts of connections.
enum Deadline {
    /// The timeout and up to an eighth more, by the slot alone. Without it, connections that were opened together, such as thousands
    /// from one client, would expire together, and so would their successors. With it, each round spreads them further.
    static func spread(microseconds timeout: Int64, slot: Int) -> Int64 {
        // Fibonacci hashing: multiples of the golden ratio, modulo 1, put neighbouring slots far apart and spread any
        // range of slots evenly.
        let share = Int64((UInt32(truncatingIfNeeded: slot) &* 0x9E37_79B9) >> 16)
        return timeout + timeout / 8 * share / 65_536
    }
}
