// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics

/// Wednesday, 2025-01-01T00:00:00Z: the moment at which most tests stand.
let now = Timestamp(seconds: 1_735_689_600)

/// SplitMix64: small, and the same on every machine.
struct SeededRandom: RandomNumberGenerator {
    let seed: UInt64
    private var state: UInt64

    init(seed: UInt64 = .random(in: 1...1_000_000)) {
        self.seed = seed
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }

    /// Up to `limit` bytes, mostly those that the grammars of fields are made of.
    mutating func fieldBytes(limit: Int, alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            Int.random(in: 0..<10, using: &self) == 0
                ? UInt8.random(in: 0...255, using: &self)
                : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}

extension [UInt8] {
    func asField<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}
