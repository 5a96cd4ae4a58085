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

    @Test func `some colours have names of their own`() {
        #expect(Color("white") == .white)
        #expect(Color("black") == .black)
        #expect(Color("transparent") == .transparent)
    }

    @Test func `of what is fully transparent nothing else is kept`() {
        #expect(Color(red: 1, green: 2, blue: 3, alpha: 0) == .transparent)
        for alpha in [UInt8(0), 1, 254, 255] {
            let color = Color(red: 1, green: 2, blue: 3, alpha: alpha)
            #expect(color.isTransparent == (alpha == 0))
            #expect(color.isOpaque == (alpha == 255))
            #expect(color.opaque == (alpha == 0 ? .black : Color(red: 1, green: 2, blue: 3)))
        }
    }

    @Test func `each channel stands in its place`() throws {
        let color = try #require(Color("01020304"))
        #expect((color.alpha, color.red, color.green, color.blue) == (1, 2, 3, 4))
        let short = try #require(Color("1234"))
        #expect((short.alpha, short.red, short.green, short.blue) == (0x11, 0x22, 0x33, 0x44))
        #expect(Color(red: 0x0F, green: 0x10, blue: 0).hexadecimal == "0f1000")
        #expect(Color(red: 1, green: 2, blue: 3, alpha: 9).hexadecimal == "09010203")
    }
}
