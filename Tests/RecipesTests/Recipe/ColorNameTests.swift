// SPDX-License-Identifier: Apache-2.0

import Recipes
import Testing

@Suite("The names of colours are those of CSS")
struct ColorNameTests {
    /// CSS Color Module Level 4 §6.1.
    private static let names = """
        aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet
        brown burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue
        darkcyan darkgoldenrod darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange
        darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise
        darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen
        fuchsia gainsboro ghostwhite gold goldenrod gray green greenyellow grey honeydew hotpink indianred
        indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
        lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon lightseagreen
        lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta
        maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue
        mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin
        navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen
        paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple rebeccapurple
        red rosybrown royalblue saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
        slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet
        wheat white whitesmoke yellow yellowgreen
        """

    /// The digest (FNV-1a, 64 bits) of the lines `name rrggbb` in alphabetical order, as in the standard.
    @Test func `each of the 148 names has its colour`() throws {
        let names = Self.names.split { $0.isWhitespace }.map(String.init)
        #expect(names.count == 148)
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for name in names {
            let line = "\(name) \(try #require(Color(name), "\(name)").hexadecimal)\n"
            for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        }
        #expect(digest == 0xFDEB_C227_EC59_B2BC)
    }
}
