// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("Thumbor's operations become the options of /img")
struct ThumborPathTests {
    /// The operations before the picture, and the equivalent query of `/img`.
    private static let operations: [(String, String)] = [
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
        ("filters:format(jpeg):quality(100)/", "output=jpg&q=100"),
        ("filters:format(webp):quality(100)/", "output=webp&ll&n=-1"),
        ("filters:quality(100):format(webp)/", "output=webp&ll&n=-1"),
        ("filters:format(webp):quality(100):max_bytes(9000)/", "output=webp&q=100&maxbytes=9000&n=-1"),
        ("filters:format(avif)/", "output=avif&n=-1"),
        ("filters:format(gif)/", "output=gif&n=-1"), ("filters:strip_exif():strip_icc()/", "n=-1"),
        ("filters:max_age(60)/", "maxage=60&n=-1"), ("filters:cover()/", "n=1"),
        // Filters of size.
        ("300x200/filters:no_upscale()/", "w=300&h=200&fit=cover&n=-1"),
        ("fit-in/300x200/filters:upscale()/", "w=300&h=200&we=0&n=-1"),
        ("fit-in/300x0/filters:upscale()/", "w=300&n=-1"), ("fit-in/x200/filters:upscale()/", "h=200&n=-1"),
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
        // A box that may be turned.
        ("adaptive-fit-in/300x200/", "w=300&h=200&turnbox&n=-1"),
        ("adaptive-full-fit-in/300x200/", "w=300&h=200&turnbox&fit=outside&we=0&n=-1"),
        // By the bottom right corner.
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
        ("filters:background_color(auto)/", "bg=average&n=-1"),
        ("filters:background_color(auto):background_color(blue)/", "bg=blue&n=-1"),
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
            "filters:watermark(https://w.example/w.png,repeat,30p,0)/",
            "wm=https://w.example/w.png&wmp=row-top&wmy=30%25&n=-1"
        ),
        (
            "filters:watermark(https://w.example/w.png,center,repeat,0)/",
            "wm=https://w.example/w.png&wmp=column-center&n=-1"
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
        ("filters:quality%2820%29:grayscale%28%29/", "q=20&filt=greyscale&n=-1"),
        (
            "filters:watermark%28https://w.example/w.png,0,0,0%29/",
            "wm=https://w.example/w.png&wmp=top-left&n=-1"
        ),
        ("filters:/", "n=-1"),
    ]

    @Test(arguments: operations)
    func `an operation has one meaning in both`(operations: String, native: String) throws {
        try expect(read(thumbor: operations), meansSameAs: native)
    }

    @Test func `a blur is as wide as its kernel that ends at the radius`() throws {
        /// The standard deviation of e^(−k²∕2σ²) for k = −r…r.
        func spread(_ radius: Int, _ sigma: Double) throws -> Double {
            guard
                case .gaussian(let found) = try read(thumbor: "filters:blur(\(radius),\(sigma))/").recipe.blur
            else {
                return 0
            }
            return found
        }
        // A radius of 1 and a sigma of 1: 2e^(−½) ∕ (1 + 2e^(−½)) = 0.54807.
        #expect(abs(try spread(1, 1) - 0.7403) < 0.0001)
        // With a wide radius the spread is the sigma itself.
        #expect(abs(try spread(30, 3) - 3) < 0.001)
        #expect(abs(try spread(40, 10) - 9.98) < 0.03)
        // If the sigma is far larger than the radius, the kernel is a box with the deviation √(r(r + 1) ∕ 3).
        #expect(abs(try spread(10, 9_000) - 6.0553) < 0.001)
        #expect(try read(thumbor: "filters:blur(4)/").recipe == read(thumbor: "filters:blur(4,4)/").recipe)
        #expect(try read(thumbor: "filters:blur(4, 0)/").recipe == read(thumbor: "filters:blur(4)/").recipe)
        #expect(try read(thumbor: "filters:blur(5000)/").recipe.blur != nil)
        #expect(try read(thumbor: "filters:blur(4,0.01)/").recipe.blur == nil)
        // Two blurs in a row.
        guard case .gaussian(let both) = try read(thumbor: "filters:blur(30,3):blur(40,4)/").recipe.blur
        else {
            Issue.record("no blur")
            return
        }
        #expect(abs(both - 5) < 0.001)
    }
}
