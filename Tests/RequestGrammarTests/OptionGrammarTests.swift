// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite("Values of one kind are written alike, whichever option has them")
struct OptionGrammarTests {
    /// The result of setting an option to a text, beside the options that it is a part of; nil if the text is no value.
    private func setting(_ row: RequestOption, _ text: String?) -> (recipe: Recipe, delivery: Delivery)? {
        var recipe = Recipe()
        (recipe.crop, recipe.trim, recipe.mask) = (Crop(), Trim(threshold: 10), Mask(shape: .circle))
        recipe.padding = Padding(Clockwise(1))
        recipe.sharpen = Sharpening(sigma: 1)
        recipe.filter = .duotone(start: .black, stop: .white)
        recipe.watermark = Watermark(source: "https://a.com/b")
        var delivery = Delivery()
        return row.set(text, in: &recipe, &delivery) ? (recipe, delivery) : nil
    }

    private func rows(_ isMeant: (String) -> Bool) -> [RequestOption] {
        OptionTable.rows.filter { isMeant($0.values) }
    }

    private func expectSame(_ row: RequestOption, _ texts: [String?], _ comment: Comment) {
        let all = texts.map { setting(row, $0) }
        for (text, one) in zip(texts, all) {
            #expect(one != nil, "\(row.name)=\(text ?? "nil")")
            #expect(one?.recipe == all[0]?.recipe && one?.delivery == all[0]?.delivery, comment)
        }
    }

    // MARK: Flags

    @Test func `a flag is on where it is named, unless it says nought or false`() {
        let flags = rows { $0.hasPrefix("flag") }
        #expect(
            flags.map(\.name) == [
                "turnbox", "we", "wr", "shrinkbox", "linear", "precrop", "mtrim", "flip", "flop", "preturn",
                "svg",
                "af", "il", "ll", "gainmap",
                "attachment",
            ])
        for row in flags {
            expectSame(row, [nil, "", "1", "true"], "on: \(row.name)")
            expectSame(row, ["0", "false"], "off: \(row.name)")
            let (on, off) = (setting(row, "1"), setting(row, "0"))
            #expect(on?.recipe != off?.recipe || on?.delivery != off?.delivery, "\(row.name)")
            for text in ["2", "-1", "01", "True", "FALSE", "yes", "no", "on", " 1", "1 ", "null"] {
                #expect(setting(row, text) == nil, "\(row.name)=\(text)")
            }
        }
    }

    // MARK: Numbers

    @Test func `a number is digits, and none of the other ways to write one`() {
        let numbers = rows { $0.contains("…") && !$0.contains("digits") && !$0.contains("A–Z") }
        #expect(numbers.count >= 25)
        for row in numbers {
            for text in [
                "+1", "0x1", "1e0", "1_0", " 1", "1 ", "١", "１", "--1", "1-", "-", ".", "NaN", "inf", "∞",
            ] {
                #expect(setting(row, text) == nil, "\(row.name)=\(text)")
            }
        }
    }

    /// `1` is a value of each of these options.
    @Test func `zeros before a number, and a point behind it, change nothing`() {
        for row in rows({ $0.contains("…") && !$0.contains("digits") && !$0.contains("A–Z") }) {
            guard setting(row, "1") != nil else { continue }
            expectSame(row, ["1", "01", "0001"], "\(row.name)")
            let isWhole = setting(row, "1.0") == nil
            #expect(isWhole == (setting(row, "1.5") == nil && setting(row, "0.5") == nil), "\(row.name)")
            if !isWhole { expectSame(row, ["1", "1.", "1.0", "01.00", "1.00004"], "\(row.name)") }
        }
    }

    @Test func `a number too great for any machine is refused as others are`() {
        for row in rows({ $0.contains("…") && !$0.contains("A–Z") }) {
            for text in [
                "9223372036854775807", "9223372036854775808", "18446744073709551616", "-9223372036854775809",
                String(repeating: "9", count: 400),
            ] {
                #expect(setting(row, text) == nil, "\(row.name)=\(text)")
                #expect(setting(row, text + "%") == nil, "\(row.name)=\(text)%")
            }
        }
    }

    // MARK: Lifetimes

    @Test(arguments: [
        ("", 315_360_000, 1), ("s", 315_360_000, 1), ("m", 5_256_000, 60), ("h", 87_600, 3_600),
        ("d", 3_650, 86_400),
        ("w", 521, 604_800), ("M", 121, 2_592_000), ("y", 10, 31_536_000),
    ])
    func `a lifetime is ten years at most, in each of its units`(unit: String, most: Int, seconds: Int) {
        #expect(Delivery.lifetime("\(most)\(unit)") == most * seconds)
        #expect(Delivery.lifetime("\(most + 1)\(unit)") == nil)
        #expect(Delivery.lifetime("0\(unit)") == 0)
        #expect(Delivery.lifetime("1\(unit)") == seconds)
        for text in ["-1\(unit)", "1.5\(unit)", "1 \(unit)x", "+1\(unit)", "\(unit)1x"] {
            #expect(Delivery.lifetime(text) == nil, "\(text)")
        }
    }

    // MARK: Colours

    @Test func `each option with a colour takes every spelling of it`() {
        let colours = rows { $0.hasPrefix("colour") }
        #expect(
            colours.map(\.name) == ["tbg", "mbg", "pbg", "rbg", "bg", "cbg", "start", "stop", "tint", "tcol"])
        for row in colours {
            expectSame(
                row, ["f00", "#f00", "ff0000", "FF0000", "#ff0000", "ffff0000", "red", "RED"],
                "\(row.name)")
            expectSame(row, ["8f0c", "#8f0c", "88ff00cc", "88FF00CC"], "\(row.name)")
            for text in [
                nil, "", "#", "f", "ff", "fffff", "fffffff", "fffffffff", "ggg", "##f00", "redd", "0xf00",
            ] {
                #expect(setting(row, text) == nil, "\(row.name)=\(text ?? "nil")")
            }
        }
    }

    // MARK: Given twice

    @Test func `an option is given once, by whichever of its names`() {
        for row in OptionTable.rows where !["url", "sig", "exp"].contains(row.name) {
            let names = [row.name] + row.synonyms
            for first in names {
                for second in names {
                    let error = #expect(throws: RequestError.self) {
                        try ImageRequest.parse(query: "url=a.com&\(first)=1&\(second)=1")
                    }
                    #expect(error == .duplicate(parameter: second), "\(first) \(second)")
                }
            }
        }
    }

    // MARK: What a person is told

    @Test func `an account of a request names each option that it changes, and no other`() throws {
        var random = SeededRandom(for: "accounts")
        let lines = [
            "w=100", "h=50", "fit=cover", "q=80", "output=webp", "blur=2", "filename=x", "maxage=1h",
            "priority=low",
            "encoding=base64", "bg=f00", "flip",
        ]
        for _ in 0..<200 {
            let chosen = lines.filter { _ in random.chance(40) }
            let request = try ImageRequest.parse(query: (["url=a.com"] + chosen).joined(separator: "&"))
            let changed = request.accounts.filter { !$0.isDefault }.map(\.name)
            // A fit without a box is not kept.
            let isBoxed = chosen.contains("w=100") && chosen.contains("h=50")
            let expected = chosen.map { String($0.prefix { $0 != "=" }) }.filter { $0 != "fit" || isBoxed }
            #expect(Set(changed) == Set(expected), "\(chosen)")
            #expect(request.accounts.map(\.name) == ImageRequest.everyAccount, "\(chosen)")
        }
    }
}

extension ImageRequest {
    /// The options of a default request, in their order.
    fileprivate static var everyAccount: [String] {
        let shorthands = ["sat", "hue", "sharpf", "sharpj"]
        let others = ["url", "url64", "preset", "exp", "sig"]
        return OptionTable.rows.map(\.name).filter { !(shorthands + others).contains($0) }
    }
}
