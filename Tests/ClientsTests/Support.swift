// SPDX-License-Identifier: Apache-2.0

import RandomInputs

extension SeededRandom {
    /// Random bytes, at most `limit`, mostly from `alphabet`.
    mutating func fieldBytes(limit: Int, alphabet: String) -> [UInt8] {
        let letters = Array(alphabet.utf8)
        return (0..<Int.random(in: 0...limit, using: &self)).map { _ in
            chance(10)
                ? UInt8.random(in: 0...255, using: &self)
                : letters[Int.random(in: 0..<letters.count, using: &self)]
        }
    }
}

extension [UInt8] {
    func asField<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}
