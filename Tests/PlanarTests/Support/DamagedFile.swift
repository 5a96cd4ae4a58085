// SPDX-License-Identifier: Apache-2.0

import RandomInputs

extension SeededRandom {
    /// The file with one to four of its bytes changed, removed or inserted.
    mutating func damaged(_ file: [UInt8]) -> [UInt8] {
        var damaged = file
        for _ in 0..<Int.random(in: 1...4, using: &self) {
            let place = Int.random(in: 0..<damaged.count, using: &self)
            switch Int.random(in: 0..<4, using: &self) {
            case 0: damaged[place] = UInt8.random(in: 0...255, using: &self)
            case 1: damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &self)
            case 2: damaged.remove(at: place)
            default:
                damaged.insert(chance(30) ? 0xFF : UInt8.random(in: 0...255, using: &self), at: place)
            }
        }
        return damaged
    }
}
