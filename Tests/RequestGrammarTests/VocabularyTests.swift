// SPDX-License-Identifier: Apache-2.0

import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("A configuration's words are names for options and pictures")
struct VocabularyTests {
    private func recipe(_ options: String, _ presets: [String], watermarks: Set<String> = []) throws -> String
    {
        let vocabulary = try Vocabulary(presets: presets, watermarks: watermarks)
        return try ImageRequest.parse(query: "url=a.com&\(options)", vocabulary: vocabulary).recipe.canonical
    }

    @Test(arguments: [
        ("a", true), ("A.b_c-9", true), (String(repeating: "x", count: 64), true), ("", false),
        (String(repeating: "x", count: 65), false), ("a/b", false), ("a b", false), ("ü", false),
        ("a~", false),
    ])
    func `a name has 64 letters, digits, points, underscores and hyphens at most`(name: String, isName: Bool)
    {
        #expect(ConfiguredName.isValid(name) == isName)
        #expect(((try? Vocabulary(presets: ["\(name)=w=5"], watermarks: [])) != nil) == isName)
    }

    @Test(arguments: [
        "thumb", "=w=5", "a b=w=5", "thumb=w=0", "thumb=url=a.com", "thumb=url64=YS5jb20", "thumb=preset=x",
        "thumb=exp=1", "thumb=sig=x", "thumb=blurr",
    ])
    func `a preset that is none is named`(text: String) {
        let name = text.prefix { $0 != "=" }
        let mistake = #expect(throws: Vocabulary.Mistake.self) {
            try Vocabulary(presets: [text], watermarks: [])
        }
        #expect(mistake?.description.contains(name) == true)
    }

    @Test func `two presets have two names`() {
        let mistake = #expect(throws: Vocabulary.Mistake.self) {
            try Vocabulary(presets: ["a=w=1", "b=w=2", "a=w=3"], watermarks: [])
        }
        #expect(mistake?.description == "\"a\" is given twice")
    }

    @Test func `options in the URL come before those of the preset, by whatever name`() throws {
        let presets = ["thumb=w=200&h=150&fit=cover", "plain="]
        #expect(try recipe("preset=thumb", presets) == "fit=cover&h=150&w=200")
        #expect(try recipe("preset=thumb&h=10", presets) == "fit=cover&h=10&w=200")
        #expect(try recipe("preset=thumb&width=10", presets) == "fit=cover&h=150&w=10")
        #expect(try recipe("preset=plain&w=5", presets) == "w=5")
        #expect(throws: RequestError.self) { try recipe("preset=other", presets) }
        #expect(throws: RequestError.self) { try recipe("preset", presets) }
        #expect(throws: RequestError.self) { try recipe("preset=thumb&preset=plain", presets) }
    }

    @Test func `a watermark is a name that the configuration has, or a URL`() throws {
        #expect(try recipe("wm=logo", [], watermarks: ["logo"]) == "wm=logo")
        #expect(throws: RequestError.self) { try recipe("wm=logo", []) }
        #expect(throws: RequestError.self) { try recipe("wm=Logo", [], watermarks: ["logo"]) }
        #expect(try recipe("wm=https://a.com/x", []) == "wm=https://a.com/x")
        #expect(throws: RequestError.self) { try recipe("wm=ftp://a.com/x", []) }
        let vocabulary = try Vocabulary(presets: [], watermarks: ["logo"])
        #expect(vocabulary.knows(watermark: "logo") && vocabulary.knows(watermark: "https://a.com/x"))
        #expect(!vocabulary.knows(watermark: "other"))
        #expect(!Vocabulary.empty.knows(watermark: "logo"))
    }

    @Test(arguments: [
        (["stamp", "logo"], "logo, stamp, or an http or https URL, percent-encoded"),
        ([], "an http or https URL, percent-encoded, since options.watermarks names none"),
    ])
    func `an unknown watermark is refused with those that are known`(names: [String], allowed: String) {
        #expect(throws: RequestError.invalidValue(parameter: "wm", allowed: allowed)) {
            try recipe("wm=other", [], watermarks: Set(names))
        }
    }

    // MARK: Deliveries

    @Test(
        arguments: [
            ("60", 60), ("1s", 1), ("2m", 120), ("3h", 10_800), ("1d", 86_400), ("1w", 604_800),
            ("1M", 2_592_000), ("1y", 31_536_000),
            ("10y", 315_360_000), ("11y", nil), ("", nil), ("s", nil), ("1x", nil), ("1 s", nil),
            ("999999999s", nil),
            ("0000000001", nil), ("000000001", 1),
        ] as [(String, Int?)])
    func `a lifetime is a number and a unit`(text: String, seconds: Int?) {
        #expect(Delivery.lifetime(text) == seconds)
    }

    @Test func `a delivery is written as options of another URL, but for the form of the body`() throws {
        for (options, expected) in [
            ("w=5&encoding=base64", ""), ("default=1", "&default=1"),
            (
                "v=a%26b%20c&priority=low&maxage=1d&filename=cat&attachment&q=5",
                "&filename=cat&attachment=1&v=a%26b%20c&maxage=86400&priority=low"
            ),
        ] {
            let delivery = try ImageRequest.parse(query: "url=a.com&\(options)").delivery
            #expect(delivery.query == expected)
            let again = try ImageRequest.parse(query: "url=a.com\(delivery.query)").delivery
            #expect(again.query == expected)
        }
    }

    @Test func `frames that a format cannot hold are remembered as lost`() throws {
        for (options, loses) in [
            ("n=-1&output=avif", true), ("n=2&output=avif", true), ("output=avif", false),
            ("n=-1&output=webp", false),
        ] {
            let request = try ImageRequest.parse(query: "url=a.com&\(options)")
            #expect(request.delivery.hasFramesToLose == loses, "\(options)")
        }
    }

    @Test func `a source is written so that no query, list or page gives it a meaning`() throws {
        let url = try SourceURL.parse("https://a.com/x~y/(z),'1'?b=c&d=%20#e")
        #expect(
            url.escapedForQuery
                == "https%3A%2F%2Fa.com%2Fx~y%2F%28z%29%2C%271%27%3Fb%3Dc%26d%3D%2520".replacing(
                    "%271%27", with: "%271%27"))
        #expect(try ImageRequest.parse(query: "url=\(url.escapedForQuery)").source == url)
    }

    @Test func `every refusal names the parameter and what to do`() {
        for (error, words) in [
            (RequestError.missing(parameter: "url"), "The parameter \"url\" is missing."),
            (.duplicate(parameter: "bg"), "The parameter \"bg\" is given more than once."),
            (.duplicate(parameter: "limit"), "The parameter \"limit\" is given more than once."),
            (
                .duplicate(parameter: "width"),
                "The parameter \"width\" is given more than once: w and width are the same."
            ),
            (
                .duplicate(parameter: "url64"),
                "The parameter \"url64\" is given more than once: url and url64 are the same."
            ),
            (
                .invalidValue(parameter: "w", allowed: "1…9"),
                "The value of \"w\" is not allowed. Allowed: 1…9."
            ),
            (
                .invalidEscape(parameter: "w"),
                "The parameter \"w\" contains a % without two hexadecimal digits; write %25 for it."
            ),
            (
                .invalidText(parameter: "w"),
                "The parameter \"w\" contains a control character or is not UTF-8."
            ),
            (.invalidPath, "The URL's path contains a % without two hexadecimal digits; write %25 for it."),
            (.invalidSource(parameter: "url", .empty), SourceURLError.empty.message),
        ] {
            #expect(error.message == words)
        }
    }
}
