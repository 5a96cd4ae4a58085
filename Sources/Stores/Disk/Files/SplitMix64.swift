// SPDX-License-Identifier: Apache-2.0

/// SplitMix64, a seeded random number generator (Steele, Lea and Flood 2014): eviction uses it, and tests can repeat its draws.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Equal seeds give equal numbers.
    package init(seed: UInt64) { state = seed }

    /// The next 64 random bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
