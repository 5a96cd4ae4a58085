// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

private func read(_ operations: String, _ others: OtherFilters = .refuse) throws -> ImageRequest {
    try ImageRequest.parse(thumbor: Array("\(operations)https://a.example/b.jpg".utf8), others: others)
}

private func message(_ body: () throws -> ImageRequest) -> String {
    do { return "no refusal, but \(try body().recipe.canonical)" } catch let error as OperationRefusal {
        return error.message
    } catch { return "another error" }
}

@Suite("Thumbor's operations become the options of /img, or are refused by name")
struct ThumborPathTests {
    /// What stands before the picture, and the query of `/img` that asks for the same.
    @Test(arguments: [
        // Size.
        ("", "n=-1"), ("300x200/", "w=300&h=200&fit=cover&we=0&n=-1"), ("300x/", "w=300&we=0&n=-1"),
        ("300x0/", "w=300&we=0&n=-1"), ("x200/", "h=200&we=0&n=-1"), ("0x200/", "h=200&we=0&n=-1"),
        ("0x0/", "n=-1"), ("x/", "n=-1"), ("300xorig/", "w=300&h=100%25&fit=cover&we=0&n=-1"),
        ("origx300/", "w=100%25&h=300&fit=cover&we=0&n=-1"), ("origxorig/", "n=-1"), ("origx/", "n=-1"),
        // Flip.
        ("-300x200/", "w=300&h=200&fit=cover&we=0&flop&n=-1"),
        ("300x-200/", "w=300&h=200&fit=cover&we=0&flip&n=-1"),
        ("-300x-200/", "w=300&h=200&fit=cover&we=0&ro=180&n=-1"), ("-0x-0/", "ro=180&n=-1"),
        ("-x/", "flop&n=-1"),
        // Fit.
        ("fit-in/300x200/", "w=300&h=200&n=-1"), ("fit-in/300x/", "w=300&n=-1"),
        ("fit-in/-300x200/", "w=300&h=200&flop&n=-1"), ("fit-in/origx200/", "w=100%25&h=200&n=-1"),
        ("full-fit-in/300x200/", "w=300&h=200&fit=outside&we=0&n=-1"),
        ("full-fit-in/300x/", "w=300&we=0&n=-1"),
        // Alignment.
        ("300x200/left/", "w=300&h=200&fit=cover&we=0&a=left&n=-1"),
        ("300x200/right/", "w=300&h=200&fit=cover&we=0&a=right&n=-1"),
        ("300x200/top/", "w=300&h=200&fit=cover&we=0&a=top&n=-1"),
        ("300x200/bottom/", "w=300&h=200&fit=cover&we=0&a=bottom&n=-1"),
        ("300x200/center/middle/", "w=300&h=200&fit=cover&we=0&n=-1"),
        ("300x200/left/top/", "w=300&h=200&fit=cover&we=0&a=top-left&n=-1"),
        ("300x200/right/bottom/", "w=300&h=200&fit=cover&we=0&a=bottom-right&n=-1"),
        ("300x200/smart/", "w=300&h=200&fit=cover&we=0&a=attention&n=-1"),
        ("300x200/left/top/smart/", "w=300&h=200&fit=cover&we=0&a=attention&n=-1"),
        ("fit-in/300x200/left/top/smart/", "w=300&h=200&n=-1"), ("smart/", "n=-1"),
        // Cuts.
        ("10x20:110x70/", "cx=10&cy=20&cw=100&ch=50&n=-1"),
        ("10x20:110x70/40x30/", "cx=10&cy=20&cw=100&ch=50&precrop&w=40&h=30&fit=cover&we=0&n=-1"),
        ("0x0:0x0/40x/", "w=40&we=0&n=-1"), ("50x50:10x10/40x/", "w=40&we=0&n=-1"),
        ("10x20:0x0/40x/", "w=40&we=0&n=-1"), ("10x20:200x0/40x/", "w=40&we=0&n=-1"),
        ("10x20:0x100/40x/", "w=40&we=0&n=-1"),
        ("0x0:1681x596/1x/", "cw=1681&ch=596&precrop&w=1&we=0&n=-1"),
        ("trim/", "trim=1&n=-1"), ("trim:top-left/", "trim=1&n=-1"), ("trim:top-left:20/", "trim=20&n=-1"),
        ("trim:20/", "trim=20&n=-1"), ("trim:442/", "trim=254&n=-1"),
        ("trim/300x/", "trim=1&w=300&we=0&n=-1"),
        // Meta.
        ("meta/300x200/", "w=300&h=200&fit=cover&we=0&output=json&n=-1"), ("meta/", "output=json&n=-1"),
        ("meta/filters:format(png)/", "output=json&n=-1"),
        // Filters of the file.
        ("filters:quality(20)/", "q=20&n=-1"), ("filters:quality(0)/", "n=-1"),
        ("filters:quality(20):quality(30)/", "q=30&n=-1"), ("filters:format(webp)/", "output=webp&n=-1"),
        ("filters:format(PNG)/", "output=png&n=-1"), ("filters:format(jpg)/", "output=jpg"),
        ("filters:format(jpeg):quality(75)/", "output=jpg&q=75"),
        ("filters:format(avif)/", "output=avif&n=-1"),
        ("filters:format(gif)/", "output=gif&n=-1"), ("filters:strip_exif():strip_icc()/", "n=-1"),
        ("filters:max_age(60)/", "maxage=60&n=-1"), ("filters:cover()/", "n=1"),
        // Filters of size.
        ("300x200/filters:no_upscale()/", "w=300&h=200&fit=cover&n=-1"),
        ("fit-in/300x200/filters:upscale()/", "w=300&h=200&we=0&n=-1"),
        ("300x200/filters:stretch()/", "w=300&h=200&fit=fill&we=0&n=-1"),
        ("fit-in/300x200/filters:stretch()/", "w=300&h=200&n=-1"),
        ("filters:proportion(0.5)/", "w=50%25&n=-1"),
        ("300x200/filters:proportion(0.5)/", "w=150&h=100&fit=cover&we=0&n=-1"),
        ("filters:proportion(1.0)/", "n=-1"),
        // Filters of turning.
        ("filters:rotate(90)/", "ro=270&n=-1"), ("filters:rotate(180)/", "ro=180&n=-1"),
        ("filters:rotate(-90)/", "ro=90&n=-1"), ("filters:rotate(450)/", "ro=270&n=-1"),
        ("filters:rotate(90):rotate(90)/", "ro=180&n=-1"), ("-0x0/filters:rotate(90)/", "ro=270&flip&n=-1"),
        // Filters of colour.
        ("filters:brightness(40)/", "bri=40&n=-1"), ("filters:brightness(-40)/", "bri=-40&n=-1"),
        ("filters:brightness(40):brightness(30)/", "bri=70&n=-1"),
        ("filters:brightness(300)/", "bri=100&n=-1"),
        ("filters:rgb(20,20,20)/", "bri=20&n=-1"), ("filters:contrast(0)/", "n=-1"),
        ("filters:contrast(41)/", "con=25&n=-1"), ("filters:contrast(-29)/", "con=-25&n=-1"),
        ("filters:saturation(2)/", "sat=2&n=-1"),
        ("filters:saturation(0.5):saturation(0.5)/", "sat=0.25&n=-1"),
        ("filters:saturation(-1)/", "hue=180&n=-1"), ("filters:grayscale()/", "filt=greyscale&n=-1"),
        ("filters:sharpen(2,1.0,true)/", "sharp=2,2,1&n=-1"), ("filters:sharpen(0,1,false)/", "n=-1"),
        ("filters:background_color(blue)/", "bg=00f&n=-1"),
        ("filters:background_color(ff8000)/", "bg=ff8000&n=-1"),
        ("filters:background_color(%23ff8000)/", "bg=ff8000&n=-1"),
        // Fill.
        ("fit-in/300x200/filters:fill(blue)/", "w=300&h=200&fit=contain&cbg=blue&n=-1"),
        ("fit-in/300x200/filters:fill(f00,1)/", "w=300&h=200&fit=contain&cbg=f00&bg=f00&n=-1"),
        ("fit-in/300x200/filters:fill(transparent)/", "w=300&h=200&fit=contain&n=-1"),
        ("fit-in/300x200/filters:upscale():fill(add8e6)/", "w=300&h=200&we=0&fit=contain&cbg=add8e6&n=-1"),
        ("fit-in/300x200/filters:fill(add8e6):upscale()/", "w=300&h=200&fit=contain&cbg=add8e6&n=-1"),
        ("fit-in/300x/filters:fill(red,true)/", "w=300&fit=contain&cbg=red&bg=red&n=-1"),
        ("300x200/filters:fill(red)/", "w=300&h=200&fit=cover&we=0&n=-1"),
        ("full-fit-in/300x200/filters:fill(red)/", "w=300&h=200&fit=outside&we=0&n=-1"),
        ("fit-in/300x200/filters:fill(red):rotate(90)/", "w=300&h=200&fit=contain&cbg=red&ro=270&n=-1"),
        ("fit-in/300x200/filters:fill(blur)/", "w=300&h=200&fit=contain&cblur=27.2096&n=-1"),
        ("300x200/filters:fill(blur)/", "w=300&h=200&fit=cover&we=0&n=-1"),
        ("fit-in/300x200/filters:fill(auto)/", "w=300&h=200&fit=contain&cbg=average&n=-1"),
        ("fit-in/300x200/filters:fill(auto,1)/", "w=300&h=200&fit=contain&cbg=average&bg=average&n=-1"),
        // The box, turned.
        ("adaptive-fit-in/300x200/", "w=300&h=200&turnbox&n=-1"),
        ("adaptive-full-fit-in/300x200/", "w=300&h=200&turnbox&fit=outside&we=0&n=-1"),
        // By the other corner.
        ("trim:bottom-right:9/", "trim=9&tbg=bottom-right&n=-1"),
        // Points.
        (
            "400x100/filters:focal(146x206:279x290)/",
            "w=400&h=100&fit=cover&we=0&a=focal&fpx=212.5px&fpy=248px&n=-1"
        ),
        (
            "100x10:300x290/40x10/filters:focal(0x0:50x20):focal(100x0:150x20)/",
            "cx=100&cy=10&cw=200&ch=280&precrop&w=40&h=10&fit=cover&we=0&a=focal&fpx=0px&fpy=0px&n=-1"
        ),
        ("filters:rgb(20,-20,40)/", "bri=20,-20,40&n=-1"),
        ("filters:brightness(10):rgb(20,-20,95)/", "bri=30,-10,100&n=-1"),
        ("filters:round_corner(20|40,0,0,0,1)/", "radius=20/40&n=-1"),
        // Bytes.
        ("filters:max_bytes(7500)/", "maxbytes=7500&n=-1"), ("filters:max_bytes(0)/", "n=-1"),
        ("filters:format(webp):max_bytes(40000)/", "output=webp&maxbytes=40000&n=-1"),
        ("filters:format(png):max_bytes(40000)/", "output=png"),
        // Corners.
        ("filters:round_corner(20,255,255,255)/", "radius=20&bg=fff&n=-1"),
        ("filters:round_corner(30,0,0,0,1)/", "radius=30&n=-1"),
        ("filters:round_corner(20|20,0,0,255,false)/", "radius=20&bg=00f&n=-1"),
        // Watermark.
        (
            "filters:watermark(https://w.example/w.png,0,0,50)/",
            "wm=https://w.example/w.png&wmp=top-left&wmo=0.5&n=-1"
        ),
        (
            "filters:watermark('https://w.example/w.png',center,center,0,20)/",
            "wm=https://w.example/w.png&wmp=center&wms=0.2&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,repeat,repeat,100)/", "n=-1"
        ),
        (
            "filters:watermark(https%3A%2F%2Fw.example%2Fw(1).png,repeat,repeat,25,none,none)/",
            "wm=https://w.example/w(1).png&wmp=tile&wmo=0.75&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,0,0,0,20,30)/",
            "wm=https://w.example/w.png&wmp=top-left&wms=0.2&wmh=0.3&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,0,0,0,none,30)/",
            "wm=https://w.example/w.png&wmp=top-left&wmh=0.3&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,-10,20,0)/",
            "wm=https://w.example/w.png&wmp=top-right&wmx=10&wmy=20&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,30p,-20p,0)/",
            "wm=https://w.example/w.png&wmp=bottom-left&wmx=30%25&wmy=20%25&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,center,-0,0)/",
            "wm=https://w.example/w.png&wmp=bottom&n=-1"
        ),
        ("filters:autojpg()/", "output=auto&n=-1"), ("filters:autojpg(False)/", "n=-1"),
        ("filters:autojpg(True):format(webp)/", "output=webp&n=-1"),
        // Escapes.
        ("filters%3Aquality%2820%29%3Agrayscale%28%29/", "q=20&filt=greyscale&n=-1"),
        ("filters:/", "n=-1"),
    ])
    func `an operation has one meaning in both`(operations: String, native: String) throws {
        let expected = try ImageRequest.parse(
            query: "url=https://a.example/b.jpg&\(native)",
            vocabulary: try Vocabulary(presets: [], watermarks: []))
        let found = try read(operations)
        #expect(found.recipe == expected.recipe, "\(found.recipe.canonical)")
        #expect(found.source == expected.source)
        #expect(found.delivery.maxAge == expected.delivery.maxAge)
        #expect(found.recipe == found.recipe.folded)
    }

    /// What stands before the picture, and what its refusal says.
    @Test(arguments: [
        ("debug/300x200/", "\"debug\" is not supported. Pictor draws no focal points"),
        ("300x20000/", "A side of the box is not allowed. Allowed: 0 or 1…16384 pixels"),
        ("16385x/", "A side of the box"), ("99999999999999999999x1/", "A side of the box"),
        ("10x10:20x20/300xorig/", "\"orig\" is not supported"),
        ("trim/10x10:20x20/", "\"trim\" is not supported"),
        ("filters:quality(101)/", "\"quality\" are not allowed. Allowed: a number of 0…100"),
        ("filters:quality()/", "\"quality\""), ("filters:quality(8.5)/", "\"quality\""),
        ("filters:quality(-1)/", "\"quality\""), ("filters:format(bmp)/", "Allowed: avif, gif, jpeg"),
        ("filters:format()/", "\"format\""), ("filters:format(heic)/", "\"format(heic)\" is not supported"),
        ("filters:rotate(45)/", "\"rotate\" are not allowed. Allowed: 0, 90, 180 or 270"),
        ("filters:rotate(x)/", "\"rotate\""), ("filters:brightness(x)/", "\"brightness\""),
        ("filters:brightness()/", "\"brightness\""), ("filters:contrast(1.5)/", "\"contrast\""),
        ("filters:contrast(101)/", "\"contrast\""), ("filters:contrast(5):contrast(6)/", "more than once"),
        ("filters:rgb(1,2)/", "\"rgb\" are not allowed"),
        ("filters:saturation(nan)/", "\"saturation\""), ("filters:sharpen(2)/", "\"sharpen\""),
        ("filters:sharpen(2,1,maybe)/", "\"sharpen\""), ("filters:blur(0)/", "\"blur\""),
        ("filters:blur(1.5)/", "\"blur\""), ("filters:proportion(0)/", "\"proportion\""),
        ("filters:proportion(1.5)/", "\"proportion\""),
        ("fit-in/300x200/filters:proportion(0.5)/", "\"proportion\" is not supported"),
        ("filters:fill(nocolour)/", "\"fill\" are not allowed. Allowed: a name of CSS"),
        ("filters:fill(red,maybe)/", "\"fill\""),
        (
            "fit-in/3x2/filters:rotate(90):fill(red)/",
            "\"fill\" is not supported. Pictor fills before it turns"
        ),
        ("filters:background_color(12345)/", "\"background_color\""),
        ("filters:watermark()/", "\"watermark\" are not allowed"),
        ("filters:watermark(w.example/w.png,0,0,50,20,101)/", "1…100 percent as the ratio of the height"),
        ("filters:watermark(w.example/w.png,0,0,101)/", "0…100 as the alpha"),
        ("filters:watermark(ftp://w.example/w.png,0,0,0)/", "URL"),
        ("filters:watermark(a.example/w,0,0,0):watermark(a.example/w,0,0,0)/", "lays one over"),
        ("filters:focal(10x10:10x20)/", "\"focal\" are not allowed"),
        ("filters:focal(10x10)/", "\"focal\" are not allowed"),
        ("filters:round_corner(20|40|60,0,0,0)/", "\"round_corner\" are not allowed"),
        ("filters:round_corner(20,0,0)/", "\"round_corner\" are not allowed"),
        ("filters:round_corner(20,0,0,256)/", "\"round_corner\" are not allowed"),
        ("filters:round_corner(99999,0,0,0)/", "\"round_corner\" are not allowed"),
        ("filters:max_bytes(many)/", "\"max_bytes\" are not allowed. Allowed: 1…1000000000 bytes"),
        ("filters:noise(40)/", "\"noise\" is not supported"),
        ("filters:equalize()/", "\"equalize\""), ("filters:convolution(1;2;1,3,true)/", "\"convolution\""),
        ("filters:colorize(40,40,40,ff0000)/", "\"colorize\""), ("filters:curve([])/", "\"curve\""),
        ("filters:frame(a.png)/", "\"frame\""), ("filters:red_eye()/", "\"red_eye\""),
        ("filters:extract_focal()/", "\"extract_focal\""), ("filters:autojpg(maybe)/", "\"autojpg\" are not"),
        ("filters:watermark(w.example/w.png,x,0,50)/", "\"watermark\" are not allowed. Allowed: as x and y"),
        ("filters:watermark(w.example/w.png,101p,0,50)/", "as x and y −16384…16384 pixels, −100p…100p"),
        ("filters:max_age(x)/", "\"max_age\""),
        ("filters:vignette(5)/", "There is no filter \"vignette\". Filters are autojpg, background_color"),
        ("filters:Quality(5)/", "There is no filter \"Quality\""),
        ("filters:quality(5/", "\"quality\" is malformed"), ("filters:quality/", "\"quality\" is malformed"),
        ("filters:(5)/", "malformed"), ("filters:quality(5)x/", "malformed"),
        ("filters:quality(5%00)/", "malformed"), ("filters:quality(%FF)/", "malformed"),
    ])
    func `what cannot be had is named in one sentence`(operations: String, words: String) {
        let message = message { try read(operations) }
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        ("", "names no picture"), ("300x200/", "names no picture"),
        ("300x200/filters:quality(5)", "no picture"),
        ("filters:quality(5)/", "no picture"), ("ftp://a.example/b", "Only http"),
        ("http://user@a.example/b", "user name"), ("a%00b.example/", "character"),
    ])
    func `a path without a picture is refused`(path: String, words: String) {
        let message = message { try ImageRequest.parse(thumbor: Array(path.utf8), others: .refuse) }
        #expect(message.contains(words), "\(message)")
    }

    /// A filter, and whether it is passed over with each word of the setting.
    @Test(arguments: [
        ("vignette(5)", true, true), ("quality(x)", true, true), ("rotate(45)", true, true),
        ("noise(40)", false, true), ("colorize(1)", false, true),
        ("contrast(5):contrast(6)", false, true), ("quality(5", false, false),
    ])
    func `a setting passes over other filters`(filter: String, unknown: Bool, all: Bool) throws {
        for (others, passes) in [
            (OtherFilters.refuse, false), (.ignoreUnknown, unknown), (.ignore, all),
        ] {
            let found = try? read("40x/filters:\(filter):grayscale()/", others)
            #expect((found != nil) == passes, "\(others)")
            #expect(found?.recipe.filter ?? .greyscale == .greyscale)
            #expect(found?.recipe.width ?? .pixels(40) == .pixels(40))
        }
    }

    @Test func `a blur is as wide as its kernel that ends at the radius`() throws {
        /// The standard deviation of e^(−k²∕2σ²) for k = −r…r.
        func spread(_ radius: Int, _ sigma: Double) throws -> Double {
            guard case .gaussian(let found) = try read("filters:blur(\(radius),\(sigma))/").recipe.blur else {
                return 0
            }
            return found
        }
        // A radius of 1 and a sigma of 1: 2e^(−½) ∕ (1 + 2e^(−½)) = 0.54807.
        #expect(abs(try spread(1, 1) - 0.7403) < 0.0001)
        // Where the radius is wide enough, the sigma itself.
        #expect(abs(try spread(30, 3) - 3) < 0.001)
        #expect(abs(try spread(40, 10) - 9.98) < 0.03)
        // Far wider than the radius, a box: its deviation is √(r(r + 1) ∕ 3).
        #expect(abs(try spread(10, 9_000) - 6.0553) < 0.001)
        #expect(try read("filters:blur(4)/").recipe == read("filters:blur(4,4)/").recipe)
        #expect(try read("filters:blur(4, 0)/").recipe == read("filters:blur(4)/").recipe)
        #expect(try read("filters:blur(5000)/").recipe.blur != nil)
        #expect(try read("filters:blur(4,0.01)/").recipe.blur == nil)
        // Two in a row.
        guard case .gaussian(let both) = try read("filters:blur(30,3):blur(40,4)/").recipe.blur else {
            Issue.record("no blur")
            return
        }
        #expect(abs(both - 5) < 0.001)
    }
}

@Suite("Behind its operations, a thumbor URL names its picture")
struct ThumborSourceTests {
    /// The name, and the URL that is fetched.
    @Test(arguments: [
        ("a.example/b.jpg", "http://a.example/b.jpg"), ("https://a.example/b.jpg", "https://a.example/b.jpg"),
        ("http://a.example:8080/b", "http://a.example:8080/b"), ("https:/a.example/b", "https://a.example/b"),
        ("HTTPS://A.example/b", "https://a.example/b"), ("a.example:81/b", "http://a.example:81/b"),
        ("https%3A%2F%2Fa.example%2Fb.jpg%3Fv%3D1", "https://a.example/b.jpg?v=1"),
        ("https://a.example/b%20c.jpg", "https://a.example/b%20c.jpg"),
        ("https://a.example/b%2520c.jpg", "https://a.example/b%20c.jpg"),
        ("https://a.example/a+b.jpg", "https://a.example/a+b.jpg"),
        ("https://a.example/100%.jpg", "https://a.example/100%25.jpg"),
        ("https://a.example/caf%C3%A9.jpg", "https://a.example/caf%C3%A9.jpg"),
        ("https://a.example/caf%E9.jpg", "https://a.example/caf%E9.jpg"),
        ("https://a.example/b(1),c.jpg", "https://a.example/b(1),c.jpg"),
        ("trim%2Fa.jpg", "http://trim/a.jpg"), ("//a.example/b.jpg", "http://a.example/b.jpg"),
        ("httpbin.example/b", "http://httpbin.example/b"),
    ])
    func `with its scheme, without it, escaped or not`(name: String, url: String) throws {
        #expect(
            try ImageRequest.parse(thumbor: Array("40x30/\(name)".utf8), others: .refuse).source.absolute
                == url)
    }

    @Test(arguments: [
        ("b/c.jpg", "https://site.example/base/b/c.jpg"), ("/b.jpg", "https://site.example/base/b.jpg"),
        ("b%3Fv=1", "https://site.example/base/b?v=1"), ("https://a.example/b", "https://a.example/b"),
    ])
    func `a name without a scheme is of the site, if there is one`(name: String, url: String) throws {
        let sources = OperationSources(base: "https://site.example/base", scheme: .http, spelling: .escapes)
        let found = try ImageRequest.parse(
            thumbor: "smart/\(name)".utf8, sources: sources, others: .refuse, vocabulary: .empty)
        #expect(found.source.absolute == url)
    }
}
