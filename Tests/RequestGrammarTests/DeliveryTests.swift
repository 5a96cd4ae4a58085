// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import SourceURLs
import Testing

@Suite struct DeliveryTests {
    private func delivery(_ options: String) throws -> Delivery {
        try ImageRequest.parse(query: "url=a.com&\(options)").delivery
    }

    @Test func `a delivery is no part of the recipe`() throws {
        let request = try ImageRequest.parse(
            query: "url=a.com&w=5&filename=a.b-c_1&encoding=base64&maxage=1h&priority=low&default=1")
        #expect(request.recipe.canonical == "w=5")
        var delivery = Delivery()
        delivery.filename = "a.b-c_1"
        delivery.encoding = .base64
        delivery.maxAge = 3_600
        delivery.priority = .low
        delivery.fallback = .source
        #expect(request.delivery == delivery)
    }

    @Test(arguments: [
        ("60", 60), ("90s", 90), ("5m", 300), ("1h", 3_600), ("1d", 86_400), ("1w", 604_800),
        ("1M", 2_592_000),
        ("10y", 315_360_000), ("0", 0),
    ])
    func `lifetimes have units`(text: String, seconds: Int) throws {
        #expect(try delivery("maxage=\(text)").maxAge == seconds)
    }

    @Test(arguments: [
        "maxage=", "maxage=d", "maxage=-1", "maxage=1.5h", "maxage=11y", "maxage=9999999999", "filename=",
        "filename=a/b", "filename=a%20b", "filename=\(String(repeating: "x", count: 79))", "encoding=base32",
        "priority=urgent", "default=", "default=ftp://a.com", "default=javascript:alert(1)", "default",
    ])
    func `an invalid value is refused by its name`(option: String) {
        let error = #expect(throws: RequestError.self) { try delivery(option) }
        #expect(error?.parameter == String(option.prefix { $0 != "=" }))
    }

    @Test func `the fallback is found in a request that makes no sense otherwise`() throws {
        let url = try SourceURL.parse("https://b.com/x")
        #expect(Delivery.fallback(in: Array("w=%zz&default=https://b.com/x&blurr".utf8)) == .url(url))
        #expect(Delivery.fallback(in: Array("default=1".utf8)) == .source)
        #expect(Delivery.fallback(in: Array("default=ftp://x".utf8)) == nil)
        #expect(Delivery.fallback(in: Array("url=x".utf8)) == nil)
    }
}

@Suite struct PresetTests {
    private let vocabulary: Vocabulary

    init() throws {
        vocabulary = try Vocabulary(
            presets: ["thumb=w=200&h=200&fit=cover", "list=delay=1%2C2&n=2"], watermarks: ["logo"])
    }

    private func canonical(_ options: String) throws -> String {
        try ImageRequest.parse(query: "url=a.com&\(options)", vocabulary: vocabulary).recipe.canonical
    }

    @Test func `a preset stands for its options, and those of the URL come first`() throws {
        #expect(try canonical("preset=thumb") == "fit=cover&h=200&w=200")
        #expect(try canonical("width=100&preset=thumb") == "fit=cover&h=200&w=100")
        #expect(try canonical("preset=list") == "delay=1,2&n=2")
    }

    @Test func `an unknown preset is refused with those that are known`() {
        #expect(throws: RequestError.invalidValue(parameter: "preset", allowed: "list, thumb")) {
            try canonical("preset=other")
        }
    }

    @Test func `a watermark is one that is known, or a URL`() throws {
        #expect(try canonical("wm=logo&wmp=tile&wmo=0.5") == "wm=logo&wmo=0.5&wmp=tile")
        #expect(try canonical("wm=https://a.com/x%3Fa%26b&wms=0.2") == "wm=https://a.com/x?a%26b&wms=0.2")
        #expect(throws: RequestError.self) { try canonical("wm=other") }
        #expect(throws: RequestError.self) { try canonical("wm=file:///etc/passwd") }
    }

    @Test(arguments: ["thumb", "=w=5", "a b=w=5", "x=w=0", "x=url=a.com", "x=preset=y", "x=blurr=5"])
    func `a preset that is none is told`(text: String) {
        #expect(throws: Vocabulary.Mistake.self) { try Vocabulary(presets: [text], watermarks: []) }
    }

    @Test func `a name is given once`() {
        #expect(throws: Vocabulary.Mistake.self) {
            try Vocabulary(presets: ["x=w=5", "x=w=6"], watermarks: [])
        }
    }
}
