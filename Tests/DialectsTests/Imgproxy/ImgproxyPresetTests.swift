// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import Recipes
import RequestGrammar
@testable import Settings
@testable import Signatures
import SourceURLs
import Testing

private let source = "plain/https://a.example/b.jpg"

@Suite("imgproxy's presets name options")
struct ImgproxyPresetTests {
    private func change(_ presets: String..., only: Bool = false) -> (inout Settings) -> Void {
        { settings in
            settings.imgproxy.presets = presets
            settings.imgproxy.onlyPresets = only
        }
    }

    private func spelled(_ target: String, _ change: (inout Settings) -> Void) throws -> String {
        var recipe = try read(imgproxy: target, change).recipe
        recipe.metadata = .none
        return recipe.canonical
    }

    @Test func `a preset takes its options where it stands`() throws {
        let presets = change("thumb=rs:fill:20:10/q:50", "sharp=sh:0.5", "both=pr:thumb:sharp")
        #expect(try spelled("/_/pr:thumb/\(source)", presets) == "fit=cover&h=10&q=50&w=20")
        #expect(try spelled("/_/pr:thumb/w:30/\(source)", presets) == "fit=cover&h=10&q=50&w=30")
        #expect(try spelled("/_/w:30/pr:thumb/\(source)", presets) == "fit=cover&h=10&q=50&w=20")
        #expect(
            try spelled("/_/preset:thumb:sharp/\(source)", presets)
                == spelled("/_/pr:both/\(source)", presets))
    }

    @Test(
        arguments: [
            ("wm:0.5:soea:10:20:0.2", "wm:1", "wm:1:soea:10:20:0.2"),
            ("wm:0:no:0:7", "wm:1::5", "wm:1:no:5:7"), ("wm:0.5:re", "wm:1", "wm:1:re"),
            ("c:100:80:no:0:9", "c:50", "c:50:80:no:0:9"), ("c:100:80:no:0:9", "c:50::so", "c:50:80:so:0:9"),
            ("rs:fill:20:10/g:no:0:9", "g:so", "rs:fill:20:10/g:so:0:9"),
            ("rs:fill:20:10/g:no:0:9/g:sm", "g:so", "rs:fill:20:10/g:so"),
            ("s:20:30/ex:1:no:0:5", "ex:1:so", "s:20:30/ex:1:so:0:5"),
            ("s:20:30/ex:0:so:0:5", "ex:1", "s:20:30/ex:1:so:0:5"),
            ("s:20:30:0:0:so", "ex:1", "s:20:30/ex:1:so"),
            ("s:20:30/exar:1:so/exar:0", "exar:1", "s:20:30/exar:1:so"),
            ("fl:1", "fl::1", "fl:1:1"), ("fl:1:1", "fl:0", "fl:0:1"), ("pd:10", "pd::20", "pd:10:20"),
            ("skp:png", "skp:gif", "skp:png:gif"),
        ]
    )
    func `what an option leaves out stays as the preset said`(
        preset: String, option: String, same: String
    ) throws {
        let settings = { (settings: inout Settings) in
            settings.imgproxy.presets = ["before=\(preset)"]
            settings.imgproxy.watermark = "logo"
        }
        #expect(
            try spelled("/_/pr:before/\(option)/\(source)", settings)
                == spelled("/_/\(same)/\(source)", settings))
    }

    @Test func `a short URL does not take thousands of presets`() throws {
        let presets = change("a=w:20", "b=pr:a:a:a:a:a:a:a", "c=pr:b:b:b:b:b:b:b:b")
        #expect(try spelled("/_/pr" + String(repeating: ":a", count: 64) + "/\(source)", presets) == "w=20")
        for names in [String(repeating: ":a", count: 65), ":c:a", ":c:b"] {
            #expect(try refusal(imgproxy: "/_/pr\(names)/\(source)", presets).contains("64 presets"))
        }
    }

    @Test func `the default comes first`() throws {
        let presets = change("default=w:20/q:50")
        #expect(try spelled("/_/\(source)", presets) == "q=50&w=20")
        #expect(try spelled("/_/w:30/\(source)", presets) == "q=50&w=30")
    }

    @Test func `URLs may name presets only`() throws {
        let presets = change("thumb=w:20", "good=q:90", only: true)
        #expect(try spelled("/_/thumb/\(source)", presets) == "w=20")
        #expect(try spelled("/_/thumb:good/\(source)@png", presets) == "output=png&w=20")
        #expect(try refusal(imgproxy: "/_/w:20/\(source)", presets).contains("no preset"))
        #expect(try refusal(imgproxy: "/_/\(source)", presets).contains("no preset"))
    }

    @Test func `a URL that is made for presets only names them`() throws {
        let rule = SignatureRule(keys: nil, required: [], freePresets: [])
        let presets = { (settings: inout Settings) in
            self.change("thumb=w:20", "good=q:90", only: true)(&settings)
            settings.imgproxy.keys = HexPairs(settingText: "00:00") ?? .none
        }
        let dialect = try imgproxy(presets)
        for name in ["pr", "preset"] {
            let query = CanonicalQuery([("url", "https://a.example/b.jpg"), (name, "thumb:good")])
            let url = try #require(try dialect.url(saying: query, by: rule))
            #expect(url.hasSuffix("/thumb:good/aHR0cHM6Ly9hLmV4YW1wbGUvYi5qcGc"), "\(url)")
            let asked = try read(imgproxy: url, presets)
            #expect(asked.recipe.width == .pixels(20) && asked.source.absolute == "https://a.example/b.jpg")
        }
        let others: [[(String, String?)]] = [
            [], [("w", "8")], [("pr", "thumb"), ("exp", "2000000000")], [("pr", "")],
        ]
        for options in others {
            let query = CanonicalQuery([("url", "https://a.example/b.jpg")] + options)
            let error = #expect(throws: Refusal.self, "\(options)") {
                try dialect.url(saying: query, by: rule)
            }
            #expect(error?.words.message.contains("presets only") == true, "\(options)")
        }
    }

    @Test(arguments: ["thumb", "=w:8", "thumb=", "thumb=w", "thumb=w:x", "a=pr:b", "a=pr:a", "a=mc:1"])
    func `a preset that is none is told`(text: String) throws {
        let error = #expect(throws: UnusableSetting.self) {
            try imgproxy { $0.imgproxy.presets = [text] }
        }
        #expect(error?.description.hasPrefix("imgproxy.presets: ") == true)
    }

    @Test func `a watermark that no URL could have is told, also of a preset that draws none`() throws {
        // `https://other.example/logo.png`.
        let digits = "aHR0cHM6Ly9vdGhlci5leGFtcGxlL2xvZ28ucG5n"
        for options in ["wmu:\(digits)", "wm:0.5/wmu:\(digits)"] {
            _ = try imgproxy { $0.imgproxy.presets = ["logo=\(options)"] }
            let error = #expect(throws: UnusableSetting.self, "\(options)") {
                try imgproxy {
                    $0.imgproxy.presets = ["logo=\(options)"]
                    $0.imgproxy.baseURL = "https://www.example.com/"
                }
            }
            #expect(error?.description.contains("imgproxy.base-url") == true)
        }
    }

    @Test func `no preset is given twice, and circles are found`() throws {
        #expect(throws: UnusableSetting.self) { try imgproxy(self.change("a=w:8", "a=w:9")) }
        #expect(throws: UnusableSetting.self) { try imgproxy(self.change("a=pr:b", "b=pr:a")) }
    }

    @Test func `the separator is a setting`() throws {
        let dialect = { (settings: inout Settings) in
            settings.imgproxy.argumentsSeparator = ","
            settings.imgproxy.presets = ["thumb=w,20"]
        }
        #expect(try spelled("/_/rs,fill,20,10/\(source)", dialect) == "fit=cover&h=10&w=20")
        #expect(try spelled("/_/pr,thumb/\(source)", dialect) == "w=20")
    }
}
