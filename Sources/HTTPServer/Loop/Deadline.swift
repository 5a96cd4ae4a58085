// SPDX-License-Identifier: Apache-2.0

/// Jitter: how long a connection's timeouts really are.
enum Deadline {
    /// The timeout, and up to an eighth more, the same for each use of a slot. Connections that were opened
    /// together, as by a client that holds thousands, so do not all end together, nor do those come back
    /// together that are opened in their place: with each round they are further apart.
    static func spread(microseconds timeout: Int64, slot: Int) -> Int64 {
        // Neighbouring slots are far apart, and any run of slots is even: multiples of the golden ratio, modulo 1.
        let share = Int64((UInt32(truncatingIfNeeded: slot) &* 0x9E37_79B9) >> 16)
        return timeout + timeout / 8 * share / 65_536
    }
}
