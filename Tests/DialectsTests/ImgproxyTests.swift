// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import HTTPSemantics
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
@testable import Signatures
import SourceURLs
import Testing

/// The dialect as these settings have it, at `/`.
func imgproxy(_ change: (inout Settings) -> Void = { _ in }) throws -> ImgproxyDialect {
    var settings = Settings()
    settings.imgproxy.enabled = true
    change(&settings)
    let vocabulary = try Vocabulary(presets: [], watermarks: ["logo"])
    return try ImgproxyDialect(settings, vocabulary)
}

private let source = "plain/https://a.example/b.jpg"

func read(
    imgproxy target: String, _ change: (inout Settings) -> Void = { _ in }
) throws -> ImageRequest {
    let dialect = try imgproxy(change)
    let sent = try RequestTarget(target.utf8)
    try #require(dialect.holds(sent))
    return try dialect.read(dialect.plain(sent))
}

func refusal(
    imgproxy target: String, _ change: (inout Settings) -> Void = { _ in }
) throws -> String {
    do {
        let request = try read(imgproxy: target, change)
        return "no refusal, but \(request.recipe.canonical)"
    } catch let error as Refusal {
        #expect(error.words.status == 400 && error.words.code == "bad_parameter")
        return error.words.message
    }
}

@Suite("imgproxy's options mean the native options of the same picture")
struct ImgproxyOptionTests {
    private func canonical(_ native: String) throws -> String {
        let words = try Vocabulary(presets: [], watermarks: ["logo"])
        return try ImageRequest.parse(query: "url=https://a.example/b.jpg&\(native)", vocabulary: words)
            .recipe.canonical
    }

    /// imgproxy's options, and those of /img.
    @Test(
        arguments: [
            // Sizes.
            ("w:300", "w=300"), ("width:300", "w=300"), ("h:200", "h=200"), ("height:200", "h=200"),
            ("w:0/h:0", ""), ("s:300:200", "w=300&h=200"), ("size:300:200", "w=300&h=200"),
            ("s:300", "w=300"),
            ("s::200", "h=200"), ("s:300:200:1", "w=300&h=200&we=0"),
            ("rs:fit:300:200", "w=300&h=200"), ("resize:fit:300:200:0:0", "w=300&h=200"),
            ("rs::300:200", "w=300&h=200"), ("rs:fill:300", "w=300"),
            ("rs:fill:300:400", "w=300&h=400&fit=cover"),
            ("resize:fill:300:400:1", "w=300&h=400&fit=cover&we=0"),
            ("rt:fill/s:300:400", "w=300&h=400&fit=cover"), ("rs:force:300:400", "w=300&h=400&fit=fill"),
            ("rs:force:300", "w=300&h=100%25&fit=fill"), ("rs:force:0:300:1", "w=100%25&h=300&fit=fill&we=0"),
            ("rs:fill-down:300:400:1", "w=300&h=400&fit=cover&we=0"), ("rs:auto:300", "w=300"),
            ("rs:fit:300:200/w:100", "w=100&h=200"), ("w:100/w:200", "w=200"),
            ("el:1/w:300", "w=300&we=0"), ("enlarge:t/w:300", "w=300&we=0"), ("el:0/w:300", "w=300"),
            ("el:maybe/w:300", "w=300"),
            ("dpr:2/w:300", "w=300&dpr=2"), ("dpr:2/el:1", "w=200%25&we=0"), ("z:2/s:300:100", "w=600&h=200"),
            ("zoom:0.5", "w=50%25"), ("z:2:2/w:100", "w=200"), ("z:2/dpr:1.5/w:100", "w=300"),
            // Gravity.
            ("rs:fill:300:400/g:no", "w=300&h=400&fit=cover&a=top"),
            ("rs:fill:300:400/g:soea", "w=300&h=400&fit=cover&a=bottom-right"),
            ("rs:fill:300:400/gravity:we:0:0", "w=300&h=400&fit=cover&a=left"),
            ("rs:fill:300:400/g:sm", "w=300&h=400&fit=cover&a=attention"),
            ("rs:fill:300:400/g:fp:0.25:0.75", "w=300&h=400&fit=cover&a=focal&fpx=0.25&fpy=0.75"),
            ("rs:fill:300:400/g:fp:1:0", "w=300&h=400&fit=cover&a=top-right"),
            ("w:300/g:sm", "w=300"), ("w:300/g:no:10:10", "w=300"),
            // A canvas.
            ("rs:fit:300:400:0:1", "w=300&h=400&fit=contain&cbg=fff"),
            ("s:300:400:1:1:no", "w=300&h=400&fit=contain&cbg=fff&a=top&we=0"),
            ("s:300:400/ex:1:fp:0:1/f:png", "w=300&h=400&fit=contain&a=bottom-left&output=png"),
            ("s:300:400/ex:1/bg:ff0000/f:webp", "w=300&h=400&fit=contain&cbg=f00&bg=f00&output=webp"),
            ("w:300/ex:1", "w=300"), ("s:300:400/ex:0:so", "w=300&h=400"),
            ("rs:fill:300:400:1:1", "w=300&h=400&fit=cover&we=0"), ("exar:0/w:8", "w=8"),
            // Cuts.
            ("c:100:80:nowe:20:10", "cx=20&cy=10&cw=100&ch=80&precrop"),
            ("crop:100:80:nowe/w:50", "cw=100&ch=80&precrop&w=50"),
            ("c:0.5:0.25", "cx=25%25&cy=37.5%25&cw=50%25&ch=25%25&precrop"),
            ("c:0.5:0/g:ea", "cx=50%25&cw=50%25&precrop"),
            ("c:0.5:0.5:fp:0.1:0.5", "cy=25%25&cw=50%25&ch=50%25&precrop"),
            ("c:0.5:0.5:ce:0.1:-0.5", "cx=35%25&cw=50%25&ch=50%25&precrop"),
            ("c:0:300:no:0:20", "cy=20&ch=300&precrop"), ("c:0:0:sm", ""),
            ("t:10", "trim=10"), ("trim:20:ffffff", "trim=20&tbg=fff"), ("t:0.4", "trim=1"),
            ("t:10:FF00FF", "trim=10"), ("t:10/t:", ""), ("t:10::0:0", "trim=10"),
            // Turns.
            ("rot:90", "ro=90"), ("rotate:-90", "ro=270"), ("rot:360", ""), ("fl:1", "flop"),
            ("fl:0:1", "flip"),
            ("flip:1:1", "flip&flop"), ("rot:90/w:20", "ro=90&h=20"),
            ("rot:90/rs:fill:20:10/g:no", "ro=90&w=10&h=20&fit=cover&a=left"),
            ("rot:270/fl:1/rs:fill:20:10/g:nowe", "ro=270&flop&w=10&h=20&fit=cover&a=bottom-right"),
            ("rot:90/c:100:50:nowe:5:6/w:20", "ro=90&preturn&cx=5&cy=6&cw=100&ch=50&precrop&w=20"),
            ("ar:1/w:8", "w=8"),
            // Looks.
            ("bg:ff0000", "bg=f00"), ("bg:255:0:0", "bg=f00"), ("background:fff/bg:", ""), ("bl:2", "blur=2"),
            ("blur:0", ""), ("sh:0.7", "sharp=0.7"), ("sharpen:0", ""), ("pix:1/w:8", "w=8"),
            ("pd:0/w:8", "w=8"), ("pd:10/w:8/bg:fff", "w=8&pad=10&bg=fff"),
            ("padding:1:2:3:4/f:png", "pad=1,2,3,4&output=png"), ("pd:5:7", "pad=5,7&pbg=fff"),
            ("pd::7:3/f:webp", "pad=0,7,3&output=webp"), ("pd:5/dpr:2/w:8", "w=16&pad=10&pbg=fff"),
            ("pd:5/z:2/w:8", "w=16&pad=5&pbg=fff"), ("pix:5", "pixelate=5"), ("mb:0/w:8", "w=8"),
            ("mw:0/mh:0/w:8", "w=8"),
            ("wm:0.5", "wm=logo&wmp=center&wmo=0.5"),
            ("watermark:1:soea:0:0:0.2", "wm=logo&wmp=bottom-right&wms=0.2"), ("wm:1:re", "wm=logo&wmp=tile"),
            ("wm:0:no", ""),
            // The file.
            ("q:80", "q=80"), ("quality:0", ""), ("f:webp/q:70", "output=webp&q=70"),
            ("ext:jpeg", "output=jpg"),
            ("format:avif", "output=avif"), ("fq:webp:60:jpg:70/f:jpg", "output=jpg&q=70"),
            ("fq:jpeg:60/f:png", "output=png"), ("fq:webp:60/q:50", "q=50"),
            ("fq:webp:60/f:webp/q:50", "output=webp&q=50"),
            ("sm:1/kcr:1/scp:1", ""), ("kcr:0", ""), ("scp:0", "profile=p3"), ("ph:0/eth:0", ""),
            ("cb:123", ""), ("raw:0/att:0", ""), ("maf:100/f:webp", "n=100&output=webp"), ("exp:0", ""),
            ("exp:4000000000", ""), ("w%3A300", "w=300"),
        ] as [(String, String)])
    func `an option is what the native one is`(options: String, native: String) throws {
        let request = try read(imgproxy: "/insecure/\(options)/\(source)") { $0.imgproxy.watermark = "logo" }
        #expect(request.recipe.canonical == (try canonical(native)))
        #expect(request.source.absolute == "https://a.example/b.jpg")
        #expect(request.recipe == request.recipe.folded)
    }

    @Test(
        arguments: [
            ("colour:red", "There is no option"), (":3", "There is no option"), ("w:", "width|\"w\""),
            ("w:-1", "0…16384"), ("w:99999", "0…16384"), ("w:3.5", "0…16384"), ("w:a", "0…16384"),
            ("w:99999999999999999999", "0…16384"), ("rs:cover:1:1", "fit, fill, fill-down"),
            ("rt:", "fit, fill, fill-down"), ("s:1:2:3:4:5:6:7:8", "width:height"),
            ("rs:auto:300:400", "auto"), ("rs:fill-down:300:400", "fill-down"),
            ("rs:fill:300:400:0:1", "extend"), ("z:1:2", "two factors"), ("z:0", "0.0001…1000"),
            ("z:100/w:8", "0.1…8"), ("dpr:0", "0.1…8"), ("dpr:9", "0.1…8"), ("dpr:nan", "0.1…8"),
            ("mw:100", "no such option yet"), ("min-height:100", "no such option yet"),
            ("g:face", "ce, no, so"), ("g:fp:2:0", "0…1"), ("g:fp:0.5", "fp:x:y"), ("g:sm:1:1", "sm"),
            ("g:obj:face", "finds no objects"), ("g:", "ce, no, so"), ("g:no:1:2:3", "ce, no, so"),
            ("rs:fill:300:400/g:no:0:10", "with offsets"), ("s:3:4/ex:1:ce:5:5", "with offsets"),
            ("ex:1:sm/s:3:4", "other than sm"), ("exar:1/s:3:4", "extend:1"),
            ("c:100:80", "top left"), ("c:100:80:sm", "top left"), ("c:100:80:nowe:-1:0", "top left"),
            ("c:100:80:fp:0.5:0.5", "top left"), ("c:-1:1", "0…65535"),
            ("c:1:1:1:1:1:1", "width:height:gravity"),
            ("t:300", "0…255"), ("t:10:red", "hexadecimal"), ("t:10::1", "whole border"),
            ("pd:x", "0…16384"), ("pd:1:2:3:4:5", "top:right"),
            ("ar:0", "upright"), ("rot:45", "multiples of 90"), ("rot:x", "steps of 90"),
            ("bg:red", "hexadecimal"), ("bg:1:2", "three numbers"), ("bg:256:0:0", "0…255"),
            ("bl:0.1", "0 or 0.3…1000"), ("bl:-1", "0 or 0.3"), ("sh:11", "0 or 0.0001…10"),
            ("pix:5/dpr:2", "without dpr"), ("pix:2000", "0…1000"),
            ("wm:2", "0…1"), ("wm:1:ch", "a position"), ("wm:1:ce:5", "with offsets"),
            ("wm:1:ce:0:0:2", "0 or 0.01…1"),
            ("sm:0", "no metadata"), ("ph:1", "8 bits"), ("eth:1", "thumbnail"), ("q:101", "0…100"),
            ("fq:webp", "pairs"), ("fq:webp:x/f:webp", "0…100"), ("fq:webpp:60", "pairs"),
            ("fq:webp:60", "Name the format"),
            ("aq:size:1000", "autoquality|\"aq\""), ("mb:1000", "no such option yet"),
            ("f:bmp", "format:bmp"),
            ("f:svg", "format:svg"), ("f:best", "format:best"), ("f:docx", "jpg, png"), ("f:", "jpg, png"),
            ("skp:png", "skp"), ("raw:1", "raw:1"), ("att:1", "att:1"), ("exp:soon", "unix time"),
            ("exp:-5", "unix time"), ("exp:1:2", "unix time"), ("fn:a%2Fb", "78"), ("fn:a b", "78"),
            ("fn:!!:1", "78"), ("pr:none", "There is no preset"),
            ("msr:10", "Limits are"), ("max_src_file_size:10", "Limits are"), ("maf:0", "1…256"),
            ("vts:5", "no videos"), ("video_thumbnail_tile:1:1:1:1:1", "no videos"), ("ra:cubic", "Lanczos"),
            ("br:10", "imgproxy Pro"), ("saturation:2", "imgproxy Pro"), ("dpi:72", "imgproxy Pro"),
            ("pg:2", "imgproxy Pro"), ("hs:md5:00", "imgproxy Pro"), ("wmu:aaaa", "imgproxy.watermark"),
            ("wmt:aaaa", "picture of the settings"), ("jpgo:1", "settings (encoder)"),
            ("dd:1", "finds no objects"),
        ] as [(String, String)])
    func `what cannot be done is refused by name`(options: String, words: String) throws {
        let message = try refusal(imgproxy: "/insecure/\(options)/\(source)") {
            $0.imgproxy.watermark = "logo"
        }
        #expect(words.split(separator: "|").contains { message.contains($0) }, "\(message)")
    }

    @Test func `without a picture of the settings there is no watermark`() throws {
        #expect(try refusal(imgproxy: "/_/wm:1/\(source)").contains("imgproxy.watermark names no picture"))
        #expect(throws: UnusableSetting.self) { try imgproxy { $0.imgproxy.watermark = "other" } }
    }

    @Test func `a file name is handed over`() throws {
        for options in ["fn:photo-1", "filename:photo%2D1", "fn:cGhvdG8tMQ:1", "fn:cGhvdG8tMQ==:t"] {
            #expect(try read(imgproxy: "/_/\(options)/\(source)").delivery.filename == "photo-1")
        }
    }

    @Test func `Accept chooses among the formats of the settings, where the URL names none`() throws {
        let change = { (settings: inout Settings) in settings.imgproxy.autoFormats = ["webp"] }
        #expect(
            try read(imgproxy: "/_/w:8/\(source)", change).recipe.canonical == canonical("w=8&output=auto"))
        #expect(
            try read(imgproxy: "/_/w:8/\(source)@png", change).recipe.canonical == canonical("w=8&output=png")
        )
        #expect(try imgproxy(change).accepted([.avif, .webp]) == .webp)
        #expect(throws: UnusableSetting.self) { try imgproxy { $0.imgproxy.autoFormats = ["gif"] } }
    }
}

@Suite("imgproxy's sources are plain or in base64")
struct ImgproxySourceTests {
    @Test(
        arguments: [
            ("plain/https://a.example/b.jpg", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/b.jpg@png", "https://a.example/b.jpg", "png"),
            ("plain/https://a.example/b.jpg@", "https://a.example/b.jpg", ""),
            ("plain/https:/a.example/b.jpg@webp", "https://a.example/b.jpg", "webp"),
            ("plain/https%3A%2F%2Fa.example%2Fb.jpg", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/b%3Fv=1%40x", "https://a.example/b?v=1@x", ""),
            ("plain/https://a.example/b.jpg?v=1", "https://a.example/b.jpg", ""),
            ("plain/https://a.example/a%2520b", "https://a.example/a%20b", ""),
            ("plain/https://a.example/x/plain/y", "https://a.example/x/plain/y", ""),
            (
                "aHR0cDovL2V4YW1wbGUuY29tL2ltYWdlcy9jdXJpb3NpdHkuanBn",
                "http://example.com/images/curiosity.jpg",
                ""
            ),
            (
                "aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png",
                "http://example.com/images/curiosity.jpg", "png"
            ),
            ("aHR0cDovL2V4YW1wbGUuY29tLw==", "http://example.com/", ""),
            ("aHR0cDovL2V4YW1wbGUuY29tLz8_.webp", "http://example.com/??", "webp"),
        ] as [(String, String, String)])
    func `a source is read with its extension`(source: String, url: String, format: String) throws {
        let request = try read(imgproxy: "/_/w:8/\(source)")
        #expect(request.source.absolute == url)
        let native = "url=https://h/&w=8" + (format.isEmpty ? "" : "&output=\(format)")
        #expect(request.recipe == (try ImageRequest.parse(query: native).recipe))
        let bare = try read(imgproxy: "/_/\(source)")
        #expect(bare.source == request.source && bare.recipe.width == nil)
    }

    @Test(
        arguments: [
            ("/_/w:8", "no source"), ("/_/w:8/", "no source"), ("/_/w:8/plain", "neither"),
            ("/_/w:8/plain/", "no source"), ("/_/plain/@png", "no source"), ("/_/.png", "no source"),
            ("/_/plain/https://a/b@png@webp", "more than one"), ("/_/aHR0cDovL2E.png.webp", "more than one"),
            ("/_/plain/ftp://a/b", "no http or https URL"),
            ("/_/plain/s3://bucket/b", "no http or https URL"),
            ("/_/plain/local:///b.jpg", "no http or https URL"), ("/_/plain/b.jpg", "imgproxy.base-url"),
            ("/_/a+b/c", "neither"), ("/_/abcde", "neither"),
            ("/_/_w", "neither"), ("/_/aHR0cDovL2EgYg", "source|URL|host"),
            ("/_/plain/https://", "URL|host|source"),
            ("/_/", "no source"), ("/_/fill/300/400/sm/0/plain/https://a/b", "old form"),
        ] as [(String, String)])
    func `anything else is refused`(target: String, words: String) throws {
        let message = try refusal(imgproxy: target)
        #expect(words.split(separator: "|").contains { message.contains($0) }, "\(message)")
    }

    @Test func `a base is put before sources that do not begin with it`() throws {
        let change = { (settings: inout Settings) in settings.imgproxy.baseURL = "https://site.example/up/" }
        for source in ["plain/a/b.jpg", "plain/https://site.example/up/a/b.jpg", "YS9iLmpwZw"] {
            let request = try read(imgproxy: "/_/w:8/\(source)", change)
            #expect(request.source.absolute == "https://site.example/up/a/b.jpg")
        }
        #expect(throws: UnusableSetting.self) { try imgproxy { $0.imgproxy.baseURL = "site.example" } }
    }
}

@Suite("imgproxy's presets name options")
struct ImgproxyPresetTests {
    private func change(_ presets: String..., only: Bool = false) -> (inout Settings) -> Void {
        { settings in
            settings.imgproxy.presets = presets
            settings.imgproxy.onlyPresets = only
        }
    }

    private func spelled(_ target: String, _ change: (inout Settings) -> Void) throws -> String {
        try read(imgproxy: target, change).recipe.canonical
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

    @Test(arguments: ["thumb", "=w:8", "thumb=", "thumb=w", "thumb=w:x", "a=pr:b", "a=pr:a", "a=br:5"])
    func `a preset that is none is told`(text: String) throws {
        let error = #expect(throws: UnusableSetting.self) {
            try imgproxy { $0.imgproxy.presets = [text] }
        }
        #expect(error?.description.hasPrefix("imgproxy.presets: ") == true)
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

@Suite("imgproxy's signatures are made as there")
struct ImgproxySignatureTests {
    private let now = Timestamp(seconds: 1_000)

    private func ground(
        _ target: String, required: Set<DialectName> = [], _ change: (inout Settings) -> Void
    ) throws -> SignatureRule.Admission.Ground {
        let rule = SignatureRule(keys: nil, required: required, freePresets: [])
        return try imgproxy(change).admit(RequestTarget(target.utf8), rule, now: now).ground
    }

    /// The pair of imgproxy's document.
    private func documented(_ settings: inout Settings) {
        settings.imgproxy.keys = HexPairs(settingText: "736563726574:68656C6C6F") ?? .none
    }

    private let path = "/rs:fill:300:400:0/g:sm/aHR0cDovL2V4YW1w/bGUuY29tL2ltYWdl/cy9jdXJpb3NpdHku/anBn.png"
    private let signature = "oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8"

    @Test func `the example of imgproxy's document verifies`() throws {
        #expect(try ground("/\(signature)\(path)", documented) == .signed)
        #expect(try ground("/\(signature)\(path.replacing(":", with: "%3A"))", documented) == .signed)
        #expect(try ground("/\(signature)\(path)?any=query", documented) == .signed)
        #expect(
            try read(imgproxy: "/\(signature)\(path)", documented).source.absolute
                == "http://example.com/images/curiosity.jpg")
    }

    @Test(arguments: [
        "/insecure", "/unsafe", "/_", "", "/", "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH9",
        "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8=", "/oKfUtW34Dvo2BGQehJFR4Nr0", "/%5F",
        "/oKfUtW34Dvo2BGQehJFR4Nr0_rIjOtdtzJ3QFsUcXH8/w:9",
    ])
    func `with keys, nothing else is let in`(signature: String) throws {
        #expect(throws: SignatureFailure.self) { try ground("\(signature)\(path)", documented) }
    }

    @Test func `every pair verifies, the first signs, and a signature may be short`() throws {
        let short = { (settings: inout Settings) in
            settings.imgproxy.keys = HexPairs(settingText: "00ff:aabb\n736563726574:68656c6c6f") ?? .none
            settings.imgproxy.signatureSize = 8
        }
        #expect(try ground("/\(signature.prefix(11))\(path)", short) == .signed, "8 bytes")
        #expect(throws: SignatureFailure.wrong) { try ground("/\(signature)\(path)", short) }
        let query = CanonicalQuery([("url", "https://a/b.jpg"), ("rs", "fill:30:40"), ("f", "png")])
        let rule = SignatureRule(keys: nil, required: [.imgproxy], freePresets: [])
        let url = try #require(try imgproxy(short).url(saying: query, by: rule))
        #expect(url.hasSuffix("/f:png/rs:fill:30:40/aHR0cHM6Ly9hL2IuanBn"))
        #expect(try ground(url, required: [.imgproxy], short) == .signed)
        #expect(try read(imgproxy: url, short).recipe.canonical == "fit=cover&h=40&output=png&w=30")
    }

    @Test func `trusted words are as good`() throws {
        let trusted = { (settings: inout Settings) in
            self.documented(&settings)
            settings.imgproxy.trustedSignatures = SecretWords(settingText: "friend, unsafe") ?? .none
        }
        #expect(try ground("/friend\(path)", trusted) == .signed)
        #expect(try ground("/unsafe\(path)", trusted) == .signed)
        #expect(throws: SignatureFailure.missing) { try ground("/insecure\(path)", trusted) }
        #expect(throws: SignatureFailure.wrong) { try ground("/foe\(path)", trusted) }
    }

    @Test func `without keys, anything stands there, unless signatures are required`() throws {
        for word in ["insecure", "anything"] {
            #expect(try ground("/\(word)\(path)", { _ in }) == .open)
        }
        for required in ["all", "imgproxy"] {
            let error = #expect(throws: UnusableSetting.self) {
                try imgproxy { $0.signatures.required = [required] }
            }
            #expect(error?.description.contains("imgproxy.keys-file") == true)
        }
        #expect(throws: Never.self) {
            try ImgproxyDialect(Self.off(required: "all"), .empty)
        }
    }

    private static func off(required: String) -> Settings {
        var settings = Settings()
        settings.signatures.required = [required]
        return settings
    }

    @Test func `a URL ends when it says so`() throws {
        let rule = SignatureRule(keys: nil, required: [], freePresets: [])
        let target = try RequestTarget("/_/exp:1001/\(source)".utf8)
        #expect(try imgproxy().admit(target, rule, now: now).expiry == 1_001)
        #expect(throws: SignatureFailure.expired(at: 1_001)) {
            try imgproxy().admit(target, rule, now: Timestamp(seconds: 1_001))
        }
    }

    @Test func `pairs are hexadecimal`() {
        #expect(HexPairs(settingText: "00:ff, AB:cd\n01:02\n")?.pairs.count == 3)
        #expect(HexPairs(settingText: "")?.isSet == false)
        for text in ["00", "00:", ":00", "0:00", "00:0g", "00:00:00", "00;00", "é0:00"] {
            #expect(HexPairs(settingText: text) == nil, "\(text)")
        }
    }

    @Test func `any change of a signed path is refused`() throws {
        var random = SeededRandom(for: "imgproxy's signatures")
        let bytes = Array(path.utf8)
        for _ in 0..<300 {
            var changed = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            changed[place] = UInt8.random(in: 0x21...0x7E, using: &random)
            guard changed != bytes, changed[place] != UInt8(ascii: "?"), changed[place] != UInt8(ascii: "%")
            else { continue }
            let target = "/\(signature)\(String(decoding: changed, as: UTF8.self))"
            #expect(throws: SignatureFailure.self, "\(target)") { try ground(target, documented) }
        }
    }
}

@Suite("imgproxy's sources may be encrypted")
struct ImgproxyEncryptionTests {
    /// The key and the URL of imgproxy's document.
    private func documented(_ settings: inout Settings) {
        let key = "1eb5b0e971ad7f45324c1bb15c947cb207c43152fa5c6c7f35c4f36e0c18e0f1"
        settings.imgproxy.encryptionKey = HexKey(settingText: key) ?? .none
        settings.imgproxy.keys = HexPairs(settingText: "00:00") ?? .none
    }

    private let encrypted =
        "p5VjorNdhs7mRRw8gA9TWoRlGci3l1kuzqN43UQlRaRIQ0qtBKW3qFABIsx-ZRz_cVc8iVTYbhsNsxNBL1BHaQ"

    @Test func `the example of imgproxy's document is decrypted`() throws {
        let parts = "\(encrypted.prefix(20))/\(encrypted.dropFirst(20))"
        for source in [encrypted, parts, "\(encrypted)=", "\(encrypted).png"] {
            let request = try read(imgproxy: "/S/rs:fit:300:300/enc/\(source)", documented)
            #expect(request.source.absolute == "http://example.com/images/curiosity.jpg")
            let format = source.hasSuffix(".png") ? "&output=png" : ""
            #expect(request.recipe.canonical == "h=300\(format)&w=300")
        }
    }

    @Test func `whatever is wrong with it, the refusal is one`() throws {
        var random = SeededRandom(for: "imgproxy's encrypted sources")
        let message = "The encrypted source cannot be read by imgproxy.encryption-key."
        for text in ["AAAA", String(encrypted.dropLast()), String(encrypted.prefix(22)), "!", "p5Vj.png"] {
            #expect(try refusal(imgproxy: "/S/enc/\(text)", documented) == message, "\(text)")
        }
        let characters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for _ in 0..<200 {
            var changed = Array(encrypted)
            // The first block carries the scheme; another one is no URL.
            changed[Int.random(in: 24..<40, using: &random)] = characters.randomElement(using: &random) ?? "A"
            guard String(changed) != encrypted else { continue }
            #expect(try refusal(imgproxy: "/S/enc/\(String(changed))", documented) == message)
        }
    }

    @Test func `the key is one of AES, and wants signatures`() throws {
        #expect(try refusal(imgproxy: "/S/enc/\(encrypted)").contains("no key for encrypted sources"))
        #expect(throws: UnusableSetting.self) {
            try imgproxy {
                documented(&$0)
                $0.imgproxy.keys = .none
            }
        }
        #expect(HexKey(settingText: String(repeating: "0f", count: 24) + "\n")?.bytes.count == 24)
        for text in ["00", String(repeating: "0", count: 31), String(repeating: "g", count: 32)] {
            #expect(HexKey(settingText: text) == nil, "\(text)")
        }
    }
}
