// SPDX-License-Identifier: Apache-2.0

import Dialects
import ImageHeaders
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite struct WeservQueryTests {
    /// The options that differ from wsrv.nl's defaults.
    private func canonical(_ options: String) throws -> String {
        let request = try ImageRequest.parse(weserv: "url=a.com&\(options)".utf8)
        var recipe = request.recipe
        let standard = try ImageRequest.parse(weserv: "url=a.com".utf8).recipe
        if recipe.quality == standard.quality { recipe.quality = nil }
        if recipe.pngLevel == standard.pngLevel { recipe.pngLevel = nil }
        if recipe.adaptiveFilter == standard.adaptiveFilter { recipe.adaptiveFilter = nil }
        return recipe.canonical
    }

    @Test(arguments: [
        ("w=5&linear", "linear=1&w=5&we=0"), ("w=5&linear=false", "w=5&we=0"), ("w=5&wr", "w=5&we=0&wr=1"),
        ("w=5&h=6&turnbox", "h=6&turnbox=1&w=5&we=0"), ("gainmap&svg", "gainmap=1&svg=1"),
        ("w=5&h=6&fit=cover&we&shrinkbox", "fit=cover&h=6&shrinkbox=1&w=5"),
        ("w=5&h=6&fit=contain&cblur", "cblur=25&fit=contain&h=6&w=5&we=0"),
        ("w=5&h=6&fit=contain&cblur=9", "cblur=9&fit=contain&h=6&w=5&we=0"),
        ("w=5&h=6&fit=contain&cblur=0", "fit=contain&h=6&w=5&we=0"),
    ])
    func `options of Pictor's own need no value where they need none at img`(
        options: String, expected: String
    ) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("b.com/x.png", "http://b.com/x.png"), ("ssl:b.com/x.png", "https://b.com/x.png"),
        ("//b.com/x.png", "https://b.com/x.png"), ("https%3A%2F%2Fb.com%2Fx.png", "https://b.com/x.png"),
        ("/b.com/x.png", "http://b.com/x.png"), ("https:///b.com/x.png", "https://b.com/x.png"),
        ("b.com/a|b%5C", "http://b.com/a%7Cb%5C"),
    ])
    func `a default picture's URL is read as that of the picture is`(text: String, url: String) throws {
        for name in ["default", "errorredirect"] {
            let target = RequestTarget(path: "/", query: Array("url=a.com&\(name)=\(text)".utf8))
            let fallback = try Dialects(Settings())[.weserv].fallbacks.fallback(in: target)
            #expect(fallback == .url(try SourceURL.parse(url)))
        }
        let request = try ImageRequest.parse(weserv: "url=a.com&default=\(text)".utf8)
        #expect(request.delivery.fallback == .url(try SourceURL.parse(url)))
    }

    @Test func `several slashes are the root, and one URL with it`() throws {
        let dialects = try Dialects(Settings())
        for path in ["/", "//", "///"] {
            let match = try dialects.match(RequestTarget("\(path)?url=a.com&w=5".utf8))
            #expect(match?.dialect.name == .weserv)
            #expect(match?.target == RequestTarget(path: "/", query: Array("url=a.com&w=5".utf8)))
            #expect(try dialects.match(RequestTarget("\(path)?w=5".utf8)) == nil)
        }
        #expect(try dialects.match(RequestTarget("/x/?url=a.com".utf8)) == nil)
    }

    @Test func `its defaults are told where ours differ`() throws {
        #expect(
            try ImageRequest.parse(weserv: "url=a.com&w=5".utf8).recipe.canonical == "af=0&l=6&q=80&w=5&we=0")
    }

    @Test func `a bare host is fetched by http`() throws {
        func source(_ url: String) throws -> String {
            try ImageRequest.parse(weserv: "url=\(url)".utf8).source.absolute
        }
        #expect(try source("a.com/x") == "http://a.com/x")
        #expect(try source("//a.com/x") == "https://a.com/x")
        #expect(try source("ssl:a.com/x") == "https://a.com/x")
        #expect(try source("/a.com/x//y") == "http://a.com/x//y")
        #expect(try source("///a.com/x") == "https://a.com/x" && source("SSL://a.com") == "https://a.com/")
        #expect(
            try source("HTTP:///a.com") == "http://a.com/" && source("https:////a.com/x") == "https://a.com/x"
        )
        #expect(throws: RequestError.invalidSource(parameter: "url", .empty)) { try source("/") }
        #expect(try source("https://a.com/s/\"<>\\^`{|}") == "https://a.com/s/%22%3C%3E%5C%5E%60%7B%7C%7D")
        #expect(try source("a.com?s=\\|/\\") == "http://a.com/?s=%5C%7C/%5C")
        #expect(throws: RequestError.invalidSource(parameter: "url", .backslash)) {
            try ImageRequest.parse(weserv: "url=http:\\\\foobar".utf8)
        }
        #expect(throws: RequestError.missing(parameter: "url")) {
            try ImageRequest.parse(weserv: "w=5".utf8)
        }
    }

    @Test(arguments: [
        ("w=5&w=9", "w=5&we=0"), ("width=5&w=9", "w=5&we=0"), ("w=x&w=9", ""), ("v=1&w=5&flup", "w=5&we=0"),
        ("w=5&we", "w=5"), ("w=5&we=0", "w=5&we=0"), ("w=5&we=false&we=1", "w=5&we=0"), ("filename=flip", ""),
    ])
    func `the first of a key counts, and unknown keys nothing`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("w=0", ""), ("w=-5", ""), ("w=12px", "w=12&we=0"), ("w=20000", "w=16384&we=0"),
        ("w=50%25", "w=50%25"),
        ("w=50%", "w=50%25"), ("w=101%25", ""), ("w=99999999999999999999", ""), ("w=5&dpr=2", "w=10&we=0"),
        ("w=5&dpr=9", "w=5&we=0"), ("w=5&dpr=-1", "w=5&we=0"), ("con=100000000", ""), ("con=30", "con=30"),
        ("bri=-30", "bri=-30"), ("q=101", ""), ("q=5&output=jpg", "output=jpg&q=5"),
        ("l=3&output=png", "l=3&output=png"),
        ("trim", ""), ("trim=25", "trim=25"), ("trim=255", ""), ("n=1000", "n=256"), ("n=-1", "n=-1"),
        ("n=0", ""), ("n=all", "n=-1"), ("n=", "n=-1"), ("page=x", "page=-1"),
        ("page=-2", "page=-2"), ("page=-3", ""), ("n=2&delay=100,x", "n=2"),
        ("n=2&delay=100,50", "delay=100,50&n=2"),
        ("n=2&loop=-1", "n=2"), ("output=origin", ""), ("output=tif", "output=tiff"),
        ("output=av1", "output=avif"),
        ("output=bmp", ""), ("filt=none", ""), ("filt=sepia", "filt=sepia"), ("mask=round", ""),
        ("bg=ZXCZXCMM", ""), ("bg=%2311FF33", "bg=11ff33"), ("bg=", ""), ("tint=zzz", ""),
        ("gam=0", ""), ("gam", "gam=2.2"), ("gam=9", "gam=2.2"), ("gam=1.5", "gam=1.5"),
        ("blur=true", "blur=mild"), ("blur=0", ""), ("blur=0.1", "blur=mild"), ("blur=5", "blur=5"),
        ("sharp=11", "sharp=mild"), ("sharp=0", ""), ("sharp=6", "sharp=6"), ("sharp", "sharp=mild"),
        ("sharp=", ""), ("sharp=,", ""), ("sharp=1,2", ""), ("mod=", ""),
    ])
    func `a bad value is the default`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("w=1&h=2&t=letterbox", "fit=contain&h=2&w=1&we=0"), ("w=1&h=2&t=square", "fit=cover&h=2&w=1&we=0"),
        ("w=1&h=2&t=squaredown", "fit=cover&h=2&w=1"), ("w=1&h=2&t=fit", "h=2&w=1"),
        ("w=1&h=2&t=fitup", "h=2&w=1&we=0"), ("w=1&h=2&t=absolute", "fit=fill&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=crop-50-0", "a=focal&fit=cover&fpy=0&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=focal-50-0", "a=focal&fit=cover&fpy=0&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=focal-101-25", "a=focal&fit=cover&fpy=0.25&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=focal", "fit=cover&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=", "fit=cover&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&a=t", "a=top&fit=cover&h=2&w=1&we=0"),
        ("w=5&t=absolute", "fit=fill&h=100%25&w=5&we=0"), ("w=5&t=absolute&we", "fit=fill&h=100%25&w=5"),
        ("crop=20,20,2,3", "ch=20&cw=20&cx=2&cy=3"), ("crop=20,20", ""), ("cw=-10&ch=10", "ch=10"),
        ("cx=10&cw=50%25&ch=100%25", "cw=50%25&cx=10"),
        ("sharp=0.5,2.5,1.5", "sharp=0.5,2.5,1.5"), ("sharp=1.5&sharpf=0.5&sharpj=2.5", "sharp=0.5,2.5,1.5"),
        ("mod=1.5,2,400", "mod=1.5,2,40"), ("sat=2&mod=1,3", "mod=1,2,0"), ("hue=-90", "mod=1,1,270"),
        ("or=90", "ro=90"), ("ro=-3750", "ro=210"), ("ro=3780", "ro=180"),
        ("shape=circle&strim", "mask=circle&mtrim=1"),
        ("filt=duotone", "filt=duotone"), ("filt=duotone&start=white", "filt=duotone&start=ffffff"),
    ])
    func `deprecated spellings and shorthands mean what they meant`(options: String, expected: String) throws
    {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("mod=1,2&sat=3", "mod=1,2,0"), ("sat=3&mod=1,2", "mod=1,3,0"), ("mod=2&mod=9,3", "mod=2,3,0"),
        ("sharp=1,2,3&sharpf=9", "sharp=3"), ("sharpf=9&sharp=1,2,3", "sharp=9,2,3"),
        ("crop=20,20,2,3&cx=9", "ch=20&cw=20&cx=2&cy=3"), ("cx=9&crop=20,20,2,3", "ch=20&cw=20&cx=9&cy=3"),
        ("w=1&h=2&t=fit&we=0", "h=2&w=1"), ("w=1&h=2&we=0&t=fit", "h=2&w=1&we=0"),
        (
            "w=1&h=2&fit=cover&a=focal-30-40&fpx=0.9",
            "a=focal&fit=cover&fpx=0.3&fpy=0.4&h=2&w=1&we=0"
        ),
        ("w=1&h=2&fit=cover&a=focal-30&fpy=0.9", "a=focal&fit=cover&fpx=0.3&h=2&w=1&we=0"),
        ("w=1&h=2&fit=cover&fpy=0.9&a=crop-30", "a=focal&fit=cover&fpx=0.3&fpy=0.9&h=2&w=1&we=0"),
    ])
    func `of a value by two keys the first counts too`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    /// For a picture of 2725 × 2225, with the numbers of weserv/images' test/api/processors/unit-thumbnail.cpp.
    @Test(arguments: [
        ("w=320&fit=fill", 320, 2225), ("h=320&fit=fill", 2725, 320), ("w=3000&fit=fill", 3000, 2225),
        ("h=3000&fit=fill", 2725, 3000), ("w=320&dpr=3&fit=fill", 960, 2225),
        ("h=320&dpr=0.3&fit=fill", 2725, 96), ("w=320&h=320&fit=fill", 320, 320), ("w=320", 320, 261),
    ])
    func `with one side, fill leaves the other as it is`(options: String, width: Int, height: Int) throws {
        let recipe = try ImageRequest.parse(weserv: "url=a.com&\(options)".utf8).recipe
        let plan = Geometry.plan(upright: PixelSize(width: 2725, height: 2225), recipe: recipe)
        #expect(plan.canvas == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("ro=90&cx=20&cy=10&cw=280&ch=380", "ch=380&cw=280&cx=20&cy=10&preturn=1&ro=90"),
        ("flip&cy=5", "cy=5&flip=1&preturn=1"), ("flop&ro=30", "flop=1&preturn=1&ro=30"),
        ("w=9&h=6&fit=cover&a=top&ro=180", "a=top&fit=cover&h=6&preturn=1&ro=180&w=9&we=0"),
        ("w=9&h=6&fit=contain&ro=90", "fit=contain&h=6&preturn=1&ro=90&w=9&we=0"),
        // Nothing is cut, nothing is turned, or the mirrors cancel out.
        ("w=9&h=6&ro=90&flip", "flip=1&h=6&ro=90&w=9&we=0"), ("cx=5", "cx=5"), ("cx=5&ro=30", "cx=5&ro=30"),
        ("cx=5&ro=180&flip&flop", "cx=5"), ("w=9&ro=90&fit=cover", "ro=90&w=9&we=0"),
    ])
    func `it turns before it cuts, where that makes a difference`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("7d", 604_800), ("1w", 604_800), ("1M", 2_592_000), ("1y", 31_536_000), ("1h", nil), ("2y", nil),
        ("1d12h", 129_600), ("1w2d", 777_600), ("1d30", 86_430), ("36h", 129_600), ("23h60m", 86_400),
        ("2d1w", nil), ("1d1d", nil), ("1d ", nil), ("d", nil), ("-1d", nil), ("1D", nil), ("", nil),
        ("9999999999", nil),
    ])
    func `a lifetime is a day to a year`(text: String, seconds: Int?) throws {
        #expect(try ImageRequest.parse(weserv: "url=a.com&maxage=\(text)".utf8).delivery.maxAge == seconds)
    }

    @Test func `a key of nginx without a value is absent`() throws {
        let request = try ImageRequest.parse(weserv: "url&url=a.com&filename&default&encoding&maxage".utf8)
        #expect(request.source.absolute == "http://a.com/")
        #expect(request.delivery.filename == "image" && request.delivery.fallback == nil)
        #expect(throws: RequestError.missing(parameter: "url")) {
            try ImageRequest.parse(weserv: "url&w=5".utf8)
        }
        let target = RequestTarget(path: "/", query: Array("url=a.com&default&errorredirect=b.com/x".utf8))
        let fallback = try Dialects(Settings())[.weserv].fallbacks.fallback(in: target)
        #expect(fallback == .url(try SourceURL.parse("http://b.com/x")))
    }

    @Test func `a URL of fewer than four characters leads nowhere`() throws {
        for text in ["", "0", "2", "abc"] {
            let target = RequestTarget(path: "/", query: Array("url=a.com&default=\(text)".utf8))
            #expect(try Dialects(Settings())[.weserv].fallbacks.fallback(in: target) == nil)
            #expect(try ImageRequest.parse(weserv: "url=a.com&default=\(text)".utf8).delivery.fallback == nil)
        }
    }

    @Test(arguments: [
        ("a.com/%E9.png", "http://a.com/%E9.png"), ("a.com/%C3%A9/%E9", "http://a.com/%C3%A9/%E9"),
        ("a.com/b.jpg%0A", "http://a.com/b.jpg%0A"), ("a.com/b%00.jpg", "http://a.com/b%00.jpg"),
        ("a.com/b.jpg%20", "http://a.com/b.jpg%20"), ("a.com/?q=%FF%26", "http://a.com/?q=%FF&"),
    ])
    func `bytes of a path that are no text stay escapes`(text: String, url: String) throws {
        let request = try ImageRequest.parse(weserv: "url=\(text)&default=\(text)".utf8)
        #expect(request.source.absolute == url && request.delivery.fallback == .url(request.source))
        let target = RequestTarget(path: "/", query: Array("url=x&default=\(text)".utf8))
        #expect(try Dialects(Settings())[.weserv].fallbacks.fallback(in: target) == .url(request.source))
    }

    @Test func `the word base64 may be in any case`() throws {
        for word in ["base64", "BASE64", "Base64"] {
            let request = try ImageRequest.parse(weserv: "url=a.com&encoding=\(word)".utf8)
            #expect(request.delivery.encoding == .base64)
        }
    }

    @Test func `a file name that is none is the default one`() throws {
        func name(_ options: String) throws -> String? {
            try ImageRequest.parse(weserv: "url=a.com&\(options)".utf8).delivery.filename
        }
        #expect(try name("filename=test") == "test")
        #expect(try name("filename=Cat7") == "Cat7")
        let long = String(repeating: "x", count: 79)
        for other in ["../test", "cat.jpg", "a-b", "a_b", "a%20b", "%C3%A9", "", long] {
            #expect(try name("filename=\(other)") == "image", "\(other)")
        }
        #expect(try name("") == "image")
        for options in ["output=json", "encoding=base64", "output=json&filename=test"] {
            #expect(try name(options) == nil)
        }
    }

    @Test func `random queries never trap, and every recipe has its one spelling`() throws {
        var random = SeededRandom(for: "weserv")
        let values = [
            "", "-1", "0", "1", "5", "50%25", "1,2,3", "focal-1-2", "true", "red", "%", "x", "1e5",
            "99999999999", "-", ".",
        ]
        let names = OptionTable.rows.map(\.name) + ["crop", "t", "or", "debug"]
        var accepted = 0
        for _ in 0..<5_000 {
            let pairs = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                "\(names.randomElement(using: &random) ?? "")=\(values.randomElement(using: &random) ?? "")"
            }
            let query = "url=a.com&" + pairs.joined(separator: "&")
            guard let request = try? ImageRequest.parse(weserv: query.utf8) else { continue }
            accepted += 1
            #expect(try Recipe(canonical: request.recipe.canonical) == request.recipe, "\(query)")
        }
        // One query in seven has nothing but the source.
        #expect(accepted > 500)
    }
}
