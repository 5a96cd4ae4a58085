// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("Each option's values reach from the least to the greatest, and no further")
struct OptionRangeTests {
    private struct Row: Sendable, CustomStringConvertible {
        var option: String
        /// The options without which it has no effect.
        var beside = ""
        var accepted: [String]
        var refused: [String]

        var description: String { option }
    }

    private static let rows = [
        Row(
            option: "w", accepted: ["1", "16384", "0.01%25", "1000%25"],
            refused: ["0", "16385", "0.009%25", "1000.1%25"]),
        Row(
            option: "h", accepted: ["1", "16384", "0.01%25", "1000%25"],
            refused: ["0", "16385", "0.009%25", "1000.1%25"]),
        Row(
            option: "dpr", beside: "w=100", accepted: ["0.1", "8", "1.5"],
            refused: ["0.0999", "8.0001", "-1", ""]),
        Row(
            option: "ar", beside: "w=100",
            accepted: ["16:9", "1:1", "100:1", "1.5", "0.01", "100", "1000000:1000000"],
            refused: [
                "", "0", "0.009", "100.1", "16:0", "0:9", "16:9:1", "16:", ":9", "16x9", "1.5:1", "1000001:1",
                "-1:2",
            ]),
        Row(option: "zoom", accepted: ["0.1", "10", "1.5"], refused: ["0.0999", "10.0001", "0", "-1", ""]),
        Row(option: "minw", accepted: ["1", "16384"], refused: ["0", "16385", "1.5", "-1", "50%25", ""]),
        Row(option: "minh", accepted: ["1", "16384"], refused: ["0", "16385", "1.5", "-1", "50%25", ""]),
        Row(
            option: "ax", beside: "w=9&h=9&fit=cover",
            accepted: ["-16384", "16384", "0", "-100%25", "100%25", "0.5%25"],
            refused: ["-16385", "16385", "100.1%25", "-100.1%25", "1.5", ""]),
        Row(
            option: "ay", beside: "w=9&h=9&fit=cover",
            accepted: ["-16384", "16384", "0", "-100%25", "100%25"],
            refused: ["-16385", "16385", "100.1%25", "1.5", ""]),
        Row(
            option: "fpx", beside: "w=9&h=9&fit=cover&a=focal",
            accepted: ["0", "1", "0.5", "0px", "212.5px", "65535px"],
            refused: ["-0.1", "1.0001", "", "px", "-1px", "65535.1px", "1em", "50%25"]),
        Row(
            option: "fpy", beside: "w=9&h=9&fit=cover&a=focal",
            accepted: ["0", "1", "0.5", "0px", "212.5px", "65535px"],
            refused: ["-0.1", "1.0001", "", "px", "-1px", "65535.1px", "1em", "50%25"]),
        Row(
            option: "cx", beside: "cw=9&ca=center", accepted: ["0", "65535", "-65535", "-100%25", "100%25"],
            refused: ["-65536", "65536", "100.1%25", "-100.1%25"]),
        Row(
            option: "cy", beside: "ch=9&ca=center", accepted: ["0", "65535", "-65535", "-100%25", "100%25"],
            refused: ["-65536", "65536", "100.1%25", ""]),
        Row(
            option: "ca", beside: "cw=9&ch=9",
            accepted: ["left", "center", "attention", "0:0", "1:1", "0.3:0.7"],
            refused: ["", "entropy", "focal", "0.3", "0.3:", ":0.7", "0.3:1.1", "-0.1:0", "0:0:0"]),
        Row(
            option: "cw", accepted: ["1", "65535", "-1", "-65535", "0.01%25", "100%25"],
            refused: ["0", "65536", "-65536", "-0", "-1%25", "0%25", "100.1%25"]),
        Row(
            option: "ch", accepted: ["1", "65535", "-1", "-65535", "0.01%25", "100%25"],
            refused: ["0", "65536", "-65536", "-", "0.009%25", "101%25"]),
        Row(
            option: "radius",
            accepted: ["0", "16384", "1,2", "1,2,3", "1,2,3,16384", "1/2", "1,2,3,4/5,6,7,16384"],
            refused: [
                "", "-1", "16385", "1,16385", "1,2,3,4,5", "1,", ",1", "1.5", "50%25", "1/", "/1", "1/2/3",
                "1/16385",
            ]),
        Row(
            option: "pad", accepted: ["0", "16384", "1,2", "1,2,3", "0,0,0,16384"],
            refused: ["", "-1", "16385", "1,2,3,16385", "1,2,3,4,5", "1,,2", "1.5", "5%25"]),
        Row(option: "pixelate", accepted: ["1", "1000"], refused: ["", "0", "1001", "1.5", "-1"]),
        Row(option: "trim", accepted: ["1", "254", ""], refused: ["0", "255", "-1"]),
        Row(option: "ro", accepted: ["-100000", "100000", "0.5"], refused: ["-100000.1", "100000.1", ""]),
        Row(
            option: "bri", accepted: ["-100", "100", "0", "-100,0,100"],
            refused: ["-101", "101", "1.5", "", "1,2", "1,2,3,4", "1,2,101", "1,,3"]),
        Row(option: "con", accepted: ["-100", "100", "0"], refused: ["-101", "101", "1.5", ""]),
        Row(option: "gam", accepted: ["1", "0.1", "10", "2.2", ""], refused: ["0.0999", "10.0001", "0"]),
        Row(
            option: "cblur", beside: "w=9&h=9&fit=contain", accepted: ["0.3", "1000", ""],
            refused: ["0.2999", "1000.1", "mild"]),
        Row(
            option: "blur", accepted: ["0.3", "1000", "mild", "", "true"],
            refused: ["0.2999", "1000.1", "0", "x"]),
        Row(
            option: "sharp",
            accepted: ["0.0001", "10", "mild", "", "true", "0,0,10", "1000000,1000000,0.0001"],
            refused: [
                "0", "10.0001", "1,2", "1,2,3,4", "-1,0,1", "1000001,0,1", "0,1000001,1", "0,0,0", ",,",
            ]),
        Row(
            option: "sharpf", beside: "sharp=1", accepted: ["0", "1000000"], refused: ["-1", "1000000.1", ""]),
        Row(
            option: "sharpj", beside: "sharp=1", accepted: ["0", "1000000"], refused: ["-1", "1000000.1", ""]),
        Row(
            option: "mod", accepted: ["0", "10000", "1,0", "1,10000", "1,1,-100000", "1,1,100000"],
            refused: [
                "-1", "10000.1", "1,-1", "1,10001", "1,1,100001", "1,1,-100001", "1,1,1.5", "1,1,1,1", "",
                "1,", "1,1,",
            ]),
        Row(option: "sat", accepted: ["0", "10000"], refused: ["-0.1", "10000.1", ""]),
        Row(option: "hue", accepted: ["-100000", "100000"], refused: ["-100001", "100001", "0.5", ""]),
        Row(
            option: "wmx", beside: "wm=https://a.com/b",
            accepted: ["-16384", "16384", "0", "-100%25", "100%25"],
            refused: ["-16385", "16385", "100.1%25", "1.5", ""]),
        Row(
            option: "wmy", beside: "wm=https://a.com/b",
            accepted: ["-16384", "16384", "0", "-100%25", "100%25"],
            refused: ["-16385", "16385", "100.1%25", "1.5", ""]),
        Row(
            option: "wms", beside: "wm=https://a.com/b", accepted: ["0.01", "1"],
            refused: ["0.0099", "1.0001", ""]),
        Row(
            option: "wmh", beside: "wm=https://a.com/b", accepted: ["0.01", "1"],
            refused: ["0.0099", "1.0001", ""]),
        Row(
            option: "wmo", beside: "wm=https://a.com/b", accepted: ["0", "1"],
            refused: ["-0.1", "1.0001", ""]),
        Row(
            option: "text",
            accepted: ["a", "a%0Ab", "a b+<c>%26=%25", "%F0%9F%91%8D圓", String(repeating: "é", count: 200)],
            refused: ["", String(repeating: "x", count: 201), "a%0Db", "a%09b", "%C2%85", "%EF%BF%BE"]),
        Row(
            option: "tx", beside: "text=a", accepted: ["-16384", "16384", "-100%25", "100%25"],
            refused: ["-16385", "16385", "100.1%25", ""]),
        Row(
            option: "ty", beside: "text=a", accepted: ["-16384", "16384", "-100%25", "100%25"],
            refused: ["-16385", "16385", "100.1%25", ""]),
        Row(
            option: "talign", beside: "text=a", accepted: ["left", "center", "right"],
            refused: ["top", "Left", ""]),
        Row(
            option: "twidth", beside: "text=a", accepted: ["1", "16384", "0.01%25", "100%25"],
            refused: ["0", "16385", "0.009%25", "100.1%25", "-1", ""]),
        Row(option: "tsize", beside: "text=a", accepted: ["1", "500"], refused: ["0", "501", "1.5", ""]),
        Row(
            option: "tfont", beside: "text=a", accepted: ["sans"], refused: ["serif", "a,b", "a/b", " a", ""]),
        Row(
            option: "q", accepted: ["1", "100", "auto", "auto:0.5", "auto:1"],
            refused: ["0", "101", "auto:0.4999", "auto:1.0001", "auto:", "Auto", ""]),
        Row(
            option: "maxbytes", accepted: ["1", "1000000000"],
            refused: ["0", "1000000001", "-1", "1.5", "9k", ""]),
        Row(option: "l", accepted: ["0", "9"], refused: ["-1", "10", ""]),
        Row(option: "n", accepted: ["-1", "1", "256"], refused: ["-2", "0", "257", ""]),
        Row(option: "page", accepted: ["-2", "0", "100000"], refused: ["-3", "100001", ""]),
        Row(option: "loop", beside: "n=-1", accepted: ["0", "65535"], refused: ["-1", "65536", ""]),
        Row(
            option: "delay", beside: "n=-1",
            accepted: ["0", "655350", "1,2,3", Array(repeating: "5", count: 256).joined(separator: ",")],
            refused: [
                "-1", "655351", "1,,2", ",", "", Array(repeating: "5", count: 257).joined(separator: ","),
            ]),
        Row(
            option: "fq", accepted: ["jpg:1", "webp:100,jpeg:60,jpg:61", "avif:50,tif:9,jxl:8"],
            refused: ["", "60", "jpg", "jpg:", "jpg:0", "jpg:101", "png:60", "jpg:60,", "jpg:6:0", "jpg:6.5"]),
        Row(
            option: "json", beside: "output=json",
            accepted: ["average", "srcset,thumbhash,average", "blurhash,dominant"],
            refused: ["", "avg", "average,average,average,average,average,average", "average,"]),
        Row(
            option: "maxage", accepted: ["0", "10y", "315360000", "3650d", "87600h"],
            refused: ["11y", "315360001", "3651d", "1Y", "s", "1000000000", "-1"]),
        Row(
            option: "v", accepted: ["1", "a b/ü%26", String(repeating: "x", count: 128)],
            refused: ["", String(repeating: "x", count: 129)]),
        Row(
            option: "filename", accepted: ["a", "A.b_c-9", String(repeating: "x", count: 78)],
            refused: ["", String(repeating: "x", count: 79), "a/b", "a%20b", "ü"]),
    ]

    private func parse(_ row: Row, _ value: String) throws -> ImageRequest {
        let option = value.isEmpty ? row.option : "\(row.option)=\(value)"
        let vocabulary = try Vocabulary(presets: [], watermarks: [], fonts: ["sans"])
        return try ImageRequest.parse(
            query: "url=a.com&\(row.beside)&\(option)", vocabulary: vocabulary)
    }

    @Test(arguments: rows)
    private func `what lies within is taken, and what lies beyond is refused by its name`(row: Row) {
        for value in row.accepted {
            #expect(throws: Never.self, "\(row.option)=\(value)") { try parse(row, value) }
        }
        for value in row.refused {
            let error = #expect(throws: RequestError.self, "\(row.option)=\(value)") { try parse(row, value) }
            #expect(error?.parameter == row.option)
        }
    }

    @Test func `every option with numbers has its row here`() {
        let names = Set(Self.rows.map(\.option))
        for option in OptionTable.rows
        where option.values.contains("…") && !["url", "exp"].contains(option.name) {
            #expect(names.contains(option.name), "\(option.name)")
        }
    }

    @Test(arguments: [
        ("gam", "gam=2.2"), ("trim", "trim=10"), ("blur", "blur=mild"), ("sharp", "sharp=mild"),
        ("il", "il=1"),
        ("sharp=0.5,2.5,1.5", "sharp=0.5,2.5,1.5"), ("sharp=1,2,3", "sharp=3"), ("mod=2", "mod=2,1,0"),
        ("mod=1,2", "mod=1,2,0"),
        ("sat=2", "mod=1,2,0"), ("hue=7", "mod=1,1,7"), ("mod=2,3,4&sat=5&hue=6", "mod=2,5,6"),
        ("sharp=1&sharpf=3", "sharp=3,2,1"), ("sharp=1&sharpj=3", "sharp=1,3,1"), ("sharpf=3", ""),
        ("sharpj=3", ""),
        ("trim=5&tbg=top-left", "trim=5"), ("trim=5&tbg=bottom-right", "tbg=bottom-right&trim=5"),
        ("bri=4,4,4", "bri=4"), ("bri=4,4,5", "bri=4,4,5"), ("radius=3/3", "radius=3"),
        ("radius=1,2/3", "radius=1,2/3"), ("radius=0/9", ""), ("radius=4,0/5", "radius=4,0/5,0"),
        ("w=9&h=9&turnbox", "h=9&w=9"), ("w=9&turnbox", "w=9"), ("bg=average", "bg=average"),
        ("w=9&h=8&fit=contain&cbg=top-left&cblur", "cblur=25&fit=contain&h=8&w=9"), ("cbg=average", ""),
        ("w=9&h=8&fit=contain&cbg=average", "cbg=average&fit=contain&h=8&w=9"),
        ("tbg=red", ""), ("trim=5&tbg=red", "tbg=ff0000&trim=5"), ("mtrim", ""), ("mbg=red", ""),
        ("mask=star&mbg=red&mtrim", "mask=star&mbg=ff0000&mtrim=1"), ("start=red", ""), ("stop=red", ""),
        ("filt=duotone", "filt=duotone"), ("filt=duotone&start=red", "filt=duotone&start=ff0000"),
        ("filt=duotone&stop=red", "filt=duotone&stop=ff0000"), ("filt=sepia&start=red", "filt=sepia"),
        ("wmp=tile", ""), ("wms=0.5", ""), ("wmo=0.5", ""), ("precrop&w=5", "w=5"),
        ("wm=https://a.com/b&wmp=tl", "wm=https://a.com/b&wmp=top-left"),
        ("wm=https://a.com/b&wmp=tile&wms=0.5&wmo=0.25", "wm=https://a.com/b&wmo=0.25&wmp=tile&wms=0.5"),
        ("wm=https://A.com:443/b&wmp=br", "wm=https://a.com/b"), ("wmx=5&wmy=5", ""),
        ("wm=https://a.com/b&wmx=0&wmy=0%25", "wm=https://a.com/b"),
        ("wm=https://a.com/b&wmp=tile&wmx=5&wmy=5", "wm=https://a.com/b&wmp=tile"),
        ("wm=https://a.com/b&wmp=row-bottom&wmx=5&wmy=5", "wm=https://a.com/b&wmp=row-bottom&wmy=5"),
        ("wm=https://a.com/b&wmp=column-left&wmx=5&wmy=5", "wm=https://a.com/b&wmp=column-left&wmx=5"),
        ("wm=https://a.com/b&wmx=5&wmy=-5%25&dpr=2", "wm=https://a.com/b&wmx=10&wmy=-5%25"),
        ("w=20&dpr=1.100000023841858", "w=22"), ("w=33.333333333333336%25", "w=33.3333%25"),
        ("fq=webp:50,jpeg:60,webp:51", "fq=jpg:60,webp:51"), ("fq=webp:50&q=40", "q=40"),
        ("fq=webp:50&output=webp", "output=webp&q=50"), ("fq=webp:50&output=png", "output=png"),
        ("fq=webp:50&output=json", "output=json"), ("fq=webp:50&output=auto", "fq=webp:50&output=auto"),
        ("json=srcset,average&output=json", "json=average,srcset&output=json"),
    ])
    func `a part is nothing without its whole, and has one spelling with it`(
        options: String, expected: String
    ) throws {
        #expect(try ImageRequest.parse(query: "url=a.com&\(options)").recipe.canonical == expected)
    }

    @Test(arguments: ["focal", "entropy", "attention", "Tile", "row", "row-left", "column-top", ""])
    func `a watermark has a place that does not look at the picture`(place: String) {
        #expect(throws: RequestError.self) {
            try ImageRequest.parse(query: "url=a.com&wm=https://a.com/b&wmp=\(place)")
        }
    }

    @Test(arguments: [
        ("c", "center"), ("centre", "center"), ("t", "top"), ("r", "right"), ("b", "bottom"), ("l", "left"),
        ("tl", "top-left"),
        ("left-top", "top-left"), ("tr", "top-right"), ("right-top", "top-right"), ("bl", "bottom-left"),
        ("left-bottom", "bottom-left"), ("br", "bottom-right"), ("right-bottom", "bottom-right"),
    ])
    func `an alignment has other spellings`(text: String, name: String) throws {
        let asked = try ImageRequest.parse(query: "url=a.com&w=5&h=6&fit=cover&a=\(text)").recipe
        #expect(asked.alignment.rawValue == name)
    }

    @Test func `every word that is told as allowed is allowed`() throws {
        let hints = HintRules(ladder: WidthLadder([100]), defaultWidth: nil, savingPercent: 75)
        let vocabulary = try Vocabulary(presets: [], watermarks: [], hints: hints)
        for option in OptionTable.rows {
            let words = option.values.matches(of: /`([a-z0-9-]+)`/).map { String($0.1) }
            for word in words where !["auto:", "RGB"].contains(word) {
                guard option.name != "maxage" else { continue }
                let query = "url=a.com&wm=https://a.com/b&output=json&\(option.name)=\(word)"
                guard !["wm", "output", "url"].contains(option.name) else { continue }
                #expect(throws: Never.self, "\(option.name)=\(word)") {
                    try ImageRequest.parse(query: Array(query.utf8), vocabulary: vocabulary)
                }
            }
        }
    }
}
