// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("Operations of thumbor that Pictor does not have are refused by name")
struct ThumborRefusalTests {
    /// The operations before the picture, and the text of their refusal.
    private static let refused: [(String, String)] = [
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
    ]

    @Test(arguments: refused)
    func `what cannot be had is named in one sentence`(operations: String, words: String) {
        let message = refusalMessage { try read(thumbor: operations) }
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        ("", "names no picture"), ("300x200/", "names no picture"),
        ("300x200/filters:quality(5)", "no picture"),
        ("filters:quality(5)/", "no picture"), ("ftp://a.example/b", "Only http"),
        ("http://user@a.example/b", "user name"), ("a%00b.example/", "character"),
    ])
    func `a path without a picture is refused`(path: String, words: String) {
        let message = refusalMessage { try ImageRequest.parse(thumbor: Array(path.utf8), others: .refuse) }
        #expect(message.contains(words), "\(message)")
    }

    @Test(arguments: [
        ("smart/300x200/", "300x200"), ("300x200/fit-in/", "fit-in"), ("left/-300x/", "-300x"),
        ("300x200/40x30/", "40x30"), ("filters:quality(5)/filters:quality(6)/", "filters:quality(6)"),
    ])
    func `an operation behind one that comes after it is told, and taken for no host`(
        operations: String, segment: String
    ) throws {
        let message = refusalMessage { try read(thumbor: operations) }
        #expect(message.hasPrefix("\"\(segment)\" stands where the picture begins."), "\(message)")
        let sources = OperationSources(base: "https://site.example", scheme: .http, spelling: .escapes)
        let named = try ImageRequest.parse(
            thumbor: "smart/300x200/b.jpg".utf8, sources: sources, others: .refuse, vocabulary: .empty)
        #expect(named.source.absolute == "https://site.example/300x200/b.jpg", "of a site it is a folder")
    }

    @Test func `a name that is escaped twice is no path of the site`() {
        for base in ["https://site.example", nil] {
            let sources = OperationSources(base: base, scheme: .http, spelling: .escapes)
            let message = refusalMessage {
                try ImageRequest.parse(
                    thumbor: "smart/https%253A%252F%252Fa.example%252Fb".utf8, sources: sources,
                    others: .refuse, vocabulary: .empty)
            }
            #expect(message.contains("once too often"), "\(message)")
        }
    }

    /// A filter, and whether it is ignored with each value of the setting.
    @Test(arguments: [
        ("vignette(5)", true, true), ("quality(x)", true, true), ("rotate(45)", true, true),
        ("noise(40)", false, true), ("colorize(1)", false, true),
        ("contrast(5):contrast(6)", false, true), ("quality(5", false, false),
    ])
    func `a setting passes over other filters`(filter: String, unknown: Bool, all: Bool) throws {
        for (others, passes) in [
            (UnsupportedFilterRule.refuse, false), (.ignoreUnknown, unknown), (.ignore, all),
        ] {
            let found = try? read(thumbor: "40x/filters:\(filter):grayscale()/", others)
            #expect((found != nil) == passes, "\(others)")
            #expect(found?.recipe.filter ?? .greyscale == .greyscale)
            #expect(found?.recipe.width ?? .pixels(40) == .pixels(40))
        }
    }
}
