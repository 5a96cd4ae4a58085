// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Recipes
import Testing

@Suite struct ColorTests {
    @Test(arguments: [
        ("CCC", "cccccc"), ("5CCC", "55cccccc"), ("CCCCCC", "cccccc"), ("55CCCCCC", "55cccccc"),
        ("#1f3", "11ff33"), ("#FF11FF33", "11ff33"), ("RED", "ff0000"), ("#red", "ff0000"),
        ("RebeccaPurple", "663399"), ("lightgoldenrodyellow", "fafad2"), ("grey", "808080"),
        ("gray", "808080"), ("transparent", "00000000"), ("0FFF", "00000000"),
    ])
    func `a colour is digits or a name`(text: String, expected: String) throws {
        #expect(try #require(Color(text)).hexadecimal == expected)
    }

    @Test(arguments: [
        "", "#", "1", "12", "12345", "1234567", "123456789", "ZXCZXCMM", "0123456X", "##fff", "٣٣٣", "re d",
    ])
    func `anything else is none`(text: String) { #expect(Color(text) == nil) }

    @Test func `every colour reads back what it writes`() {
        var random = SeededRandom(for: "colours")
        for _ in 0..<2_000 {
            let bytes = random.bytes(4)
            let color = Color(red: bytes[0], green: bytes[1], blue: bytes[2], alpha: bytes[3])
            #expect(Color(color.hexadecimal) == color)
        }
    }
}
