// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Imaging

/// Pictures that another program can draw as well. The expected hashes come from the format's own
/// implementation in JavaScript.
enum Sample: String, Sendable {
    case waves, noise, alpha

    func rgba(_ width: Int, _ height: Int, seed: UInt64) -> [UInt8] {
        var state = seed
        func next() -> UInt8 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return UInt8(state >> 56)
        }
        var rgba: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                if self == .noise {
                    rgba += [next(), next(), next(), 255]
                } else {
                    let numbers = [x * x + y, x + y * y, x * y, self == .waves ? 255 : 3 * x + y]
                    rgba += numbers.map { UInt8($0 & 255) }
                }
            }
        }
        return rgba
    }
}

@Suite struct ThumbHashTests {
    @Test(arguments: [
        (100, 75, Sample.waves, 1 as UInt64, "1ef80505823032246156765376378563c2f69ca2f7"),
        (75, 100, .waves, 1, "1e080605023133605536662875634727c6f25c60d8"),
        (32, 32, .noise, 7, "df07020f026172b8a1798d358b6d0854959bf75989004801"),
        (100, 10, .noise, 3, "e0f7010982f62e169545bc6429951f04a9"),
        (7, 3, .noise, 9, "9d17063b8a77a9c77bab9f15fa27130964"),
        (60, 60, .alpha, 1, "1f08820502278373a197840839f3c34cf4e670777578877877"),
        (30, 80, .alpha, 1, "dd0782020215008439185a377f4b70d770777178877877"),
    ])
    func `a hash is that of the reference`(
        width: Int, height: Int, sample: Sample, seed: UInt64, expected: String
    ) {
        let hash = ThumbHash.make(width: width, height: height, rgba: sample.rgba(width, height, seed: seed))
        #expect(hash.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
    }

    @Test func `nothing but transparency has a hash, too`() {
        let hash = ThumbHash.make(width: 20, height: 10, rgba: [UInt8](repeating: 0, count: 800))
        #expect(hash.count == 23)
        #expect(hash[2] & 0x80 != 0)
    }

    @Test func `what is more visible counts for more in the average`() {
        #expect(AverageColour(of: [200, 100, 50, 255, 200, 100, 50, 255]).hexadecimal == "#c86432")
        #expect(AverageColour(of: [10, 20, 30, 255, 200, 200, 200, 0]).hexadecimal == "#0a141e80")
        #expect(AverageColour(of: [9, 9, 9, 0]).hexadecimal == "#00000000")
    }
}
