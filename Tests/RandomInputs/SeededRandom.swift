// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// SplitMix64: the same numbers for the same seed, on every machine.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) { (self.seed, state) = (seed, seed) }

    /// Prints its seed at once, because a trap names none; `PICTOR_TEST_SEED` repeats it.
    package init(for test: String) {
        let given = ProcessInfo.processInfo.environment["PICTOR_TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): PICTOR_TEST_SEED=\(seed)")
        self.init(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    package mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Random bytes, at most `limit`, mostly from `alphabet`.
    package mutating func fieldBytes(limit: Int, alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            chance(10)
                ? UInt8.random(in: 0...255, using: &self)
                : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}
