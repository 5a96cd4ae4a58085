// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
import SourceURLs
import Testing

@Suite("imagor's operations become the options of /img")
struct ImagorPathTests {
    /// The operations before the picture, and the equivalent query of `/img`.
    private static let operations: [(String, String)] = [
        // Size.
        ("", "n=-1"), ("400x400/", "w=400&h=400&fit=cover&we=0&n=-1"), ("400x0/", "w=400&we=0&n=-1"),
        ("0x400/", "h=400&we=0&n=-1"), ("949x1000/", "w=949&h=1000&fit=cover&we=0&n=-1"),
        ("-400x400/", "w=400&h=400&fit=cover&we=0&flop&n=-1"),
        ("400x-400/", "w=400&h=400&fit=cover&we=0&flip&n=-1"),
        ("-400x-400/", "w=400&h=400&fit=cover&we=0&ro=180&n=-1"),
        // Alignment.
        ("400x300/left/top/", "w=400&h=300&fit=cover&we=0&a=top-left&n=-1"),
        ("400x300/center/middle/", "w=400&h=300&fit=cover&we=0&n=-1"),
        ("400x300/right/bottom/", "w=400&h=300&fit=cover&we=0&a=bottom-right&n=-1"),
        ("200x100/top/", "w=200&h=100&fit=cover&we=0&a=top&n=-1"),
        ("100x200/right/", "w=100&h=200&fit=cover&we=0&a=right&n=-1"),
        ("400x400/smart/", "w=400&h=400&fit=cover&we=0&a=attention&n=-1"),
        // Fit.
        ("fit-in/400x400/", "w=400&h=400&n=-1"), ("fit-in/50x0/", "w=50&n=-1"),
        ("fit-in/0x50/", "h=50&n=-1"), ("full-fit-in/300x200/", "w=300&h=200&fit=outside&we=0&n=-1"),
        ("full-fit-in/300x200/smart/", "w=300&h=200&fit=outside&we=0&n=-1"),
        ("stretch/400x300/", "w=400&h=300&fit=fill&we=0&n=-1"),
        ("fit-in/stretch/100x90/", "w=100&h=90&n=-1"), ("stretch/400x0/", "w=400&we=0&n=-1"),
        // Cuts.
        (
            "100x50:1800x1200/400x400/",
            "cx=100&cy=50&cw=1700&ch=1150&precrop&w=400&h=400&fit=cover&we=0&n=-1"
        ),
        ("0.1x0.1:0.9x0.9/", "cx=10%25&cy=10%25&cw=80%25&ch=80%25&n=-1"),
        (
            "0.006120x0.008993:1.0x1.0/stretch/100x200/",
            "cx=0.61%25&cy=0.9%25&cw=99.39%25&ch=99.1%25&precrop&fit=fill&we=0&w=100&h=200&n=-1"
        ),
        ("0x100:9999x9999/300x100/", "cy=100&cw=9999&ch=9899&precrop&w=300&h=100&fit=cover&we=0&n=-1"),
        ("50x50:0x0/", "cx=50&cy=50&n=-1"), ("0x0:1x1/", "n=-1"), ("0x0:0x0/", "n=-1"),
        ("0.1x0.2:9x1/300x0/", "w=300&fit=cover&we=0&n=-1"), ("0.1x0.2:0.1000001x0.9/", "n=-1"),
        ("trim/", "trim=1&n=-1"), ("trim:100/", "trim=100&n=-1"), ("trim:top-left:50/", "trim=50&n=-1"),
        ("trim/400x400/", "trim=1&w=400&h=400&fit=cover&we=0&n=-1"),
        // Only `fill` draws padding.
        ("fit-in/100x90/10x5/", "w=100&h=90&n=-1"), ("100x90/10x5:1x2/", "w=100&h=90&fit=cover&we=0&n=-1"),
        ("100x90/0x0/filters:fill(red)/", "w=100&h=90&fit=cover&we=0&bg=red&n=-1"),
        // Meta.
        ("meta/fit-in/100x100/", "w=100&h=100&output=json&n=-1"),
        ("meta/filters:thumbhash():avgcolor()/", "output=json&json=average,thumbhash&n=-1"),
        ("filters:avgcolor()/", "n=-1"),
        // Filters of the file.
        ("filters:format(jpeg)/", "output=jpg"), ("filters:format(jpg):quality(70)/", "output=jpg&q=70"),
        ("filters:format(webp)/", "output=webp&n=-1"), ("filters:format(tiff)/", "output=tiff"),
        ("filters:format(jxl)/", "output=jxl"), ("filters:format(avif)/", "output=avif&n=-1"),
        ("filters:format(gif)/", "output=gif&n=-1"), ("filters:format(png)/", "output=png"),
        ("filters:format(bmp)/", "output=jpg"), ("filters:autojpg()/", "output=jpg"),
        ("filters:quality(80)/", "q=80&n=-1"), ("filters:quality(0)/", "n=-1"),
        ("filters:format(webp):lossless()/", "output=webp&ll&n=-1"),
        ("filters:format(png):compression(8)/", "output=png&l=8"),
        ("filters:strip_exif():strip_icc():strip_metadata()/", "n=-1"),
        ("filters:to_colorspace()/", "n=-1"), ("filters:to_colorspace(P3)/", "profile=p3&n=-1"),
        ("filters:preview():draw_detections()/", "n=-1"), ("filters:max_age(60)/", "maxage=60&n=-1"),
        // Frames and pages.
        ("filters:max_frames(3)/", "n=3"), ("filters:max_frames(9999)/", "n=256"),
        ("filters:page(5)/", "page=4&n=-1"), ("filters:page(1)/", "n=-1"),
        ("400x0/filters:dpi(300)/", "w=400&we=0&n=-1"),
        // Filters of size.
        ("500x400/filters:no_upscale()/", "w=500&h=400&fit=cover&n=-1"),
        ("fit-in/500x400/filters:upscale()/", "w=500&h=400&we=0&n=-1"),
        ("fit-in/500x400/filters:upscale():no_upscale()/", "w=500&h=400&n=-1"),
        ("500x400/filters:stretch()/", "w=500&h=400&fit=fill&we=0&n=-1"),
        ("filters:proportion(10)/", "w=10%25&n=-1"), ("filters:proportion(0.1)/", "w=10%25&n=-1"),
        ("200x100/filters:proportion(50)/", "w=100&h=50&fit=cover&we=0&n=-1"),
        ("filters:proportion(9999)/", "n=-1"),
        ("300x300/filters:crop(50,50,200,200)/", "w=300&h=300&fit=cover&we=0&cx=50&cy=50&cw=200&ch=200&n=-1"),
        ("filters:crop(0.1,0.1,0.8,0.8)/", "cx=10%25&cy=10%25&cw=80%25&ch=80%25&n=-1"),
        // Turns.
        ("filters:rotate(90)/", "ro=270&n=-1"), ("filters:rotate(180)/", "ro=180&n=-1"),
        ("filters:rotate(90):rotate(270):rotate(180)/", "ro=180&n=-1"),
        (
            "fit-in/100x210/filters:rotate(90):fill(yellow)/",
            "w=100&h=210&fit=contain&cbg=ff0&bg=ff0&ro=270&n=-1"
        ),
        ("100x200/filters:orient(90)/", "w=200&h=100&fit=cover&we=0&ro=270&n=-1"),
        ("100x200/left/filters:orient(90)/", "w=200&h=100&fit=cover&we=0&a=top&ro=270&n=-1"),
        ("100x200/top/filters:orient(90)/", "w=200&h=100&fit=cover&we=0&a=right&ro=270&n=-1"),
        ("-100x200/filters:orient(90)/", "w=200&h=100&fit=cover&we=0&ro=270&flop&n=-1"),
        ("100x200/filters:orient(180):rotate(180)/", "w=100&h=200&fit=cover&we=0&n=-1"),
        // Focus.
        (
            "300x100/filters:focal(0.35x0.25:0.6x0.3)/",
            "w=300&h=100&fit=cover&we=0&a=focal&fpx=0.475&fpy=0.275&n=-1"
        ),
        (
            "100x30/filters:focal(0.6666666666666666,0.30000000000000004)/",
            "w=100&h=30&fit=cover&we=0&a=focal&fpx=0.6667&fpy=0.3&n=-1"
        ),
        ("100x30/filters:focal(0.89x0.72)/", "w=100&h=30&fit=cover&we=0&a=focal&fpx=0.89&fpy=0.72&n=-1"),
        (
            "100x30/filters:focal(0.4,5.551115123125783e-17)/",
            "w=100&h=30&fit=cover&we=0&a=focal&fpx=0.4&fpy=0&n=-1"
        ),
        (
            "100x30/smart/filters:focal(0.2,0.4):focal(0.4,0.8)/",
            "w=100&h=30&fit=cover&we=0&a=focal&fpx=0.3&fpy=0.6&n=-1"
        ),
        (
            "300x100/filters:focal(10x20:100x140)/",
            "w=300&h=100&fit=cover&we=0&a=focal&fpx=55px&fpy=80px&n=-1"
        ),
        ("adaptive-fit-in/300x200/", "w=300&h=200&turnbox&n=-1"),
        ("trim:bottom-right:100/", "trim=100&tbg=bottom-right&n=-1"),
        (
            "fit-in/300x200/filters:fill(auto)/",
            "w=300&h=200&fit=contain&cbg=average&bg=average&n=-1"
        ),
        (
            "fit-in/300x200/filters:fill(auto,bottom-right)/",
            "w=300&h=200&fit=contain&cbg=average&bg=average&n=-1"
        ),
        (
            "0.5x0:1.0x1.0/100x30/filters:focal(0.75,0.4)/",
            "cx=50%25&cw=50%25&precrop&w=100&h=30&fit=cover&we=0&a=focal&fpy=0.4&n=-1"
        ),
        // Colours and light.
        ("filters:blur(5)/", "blur=2.5&n=-1"), ("filters:blur(1,2)/", "blur=2&n=-1"),
        ("filters:blur(0)/", "n=-1"),
        ("filters:blur(6):blur(8)/", "blur=5&n=-1"), ("filters:sharpen(2)/", "sharp=0,2,5&n=-1"),
        ("filters:sharpen(1,2)/", "sharp=0,2,5&n=-1"), ("filters:brightness(-50)/", "bri=-50&n=-1"),
        ("filters:brightness(12.4)/", "bri=12&n=-1"), ("filters:contrast(0)/", "n=-1"),
        ("filters:contrast(-100)/", "con=-100&n=-1"), ("filters:contrast(100)/", "con=100&n=-1"),
        ("filters:contrast(33.6)/", "con=25&n=-1"), ("filters:contrast(-33.6)/", "con=-26&n=-1"),
        ("filters:hue(290)/", "hue=290&n=-1"), ("filters:hue(-70)/", "hue=290&n=-1"),
        ("filters:saturation(100)/", "sat=2&n=-1"), ("filters:saturation(-80)/", "sat=0.2&n=-1"),
        ("filters:modulate(-10,30,20)/", "mod=0.9,1.3,20&n=-1"), ("filters:rgb(10,10,10)/", "bri=10&n=-1"),
        ("filters:grayscale()/", "filt=greyscale&n=-1"), ("filters:invert()/", "filt=negate&n=-1"),
        ("filters:background_color(ffff00)/", "bg=ff0&n=-1"),
        ("filters:background_color(auto)/", "bg=average&n=-1"),
        ("filters:background_color(auto):background_color(red)/", "bg=f00&n=-1"),
        // Fill.
        ("fit-in/400x400/filters:fill(white)/", "w=400&h=400&fit=contain&cbg=white&bg=white&n=-1"),
        ("fit-in/400x400/filters:fill(none)/", "w=400&h=400&fit=contain&n=-1"),
        ("fit-in/400x0/filters:fill(white)/", "w=400&fit=contain&cbg=white&bg=white&n=-1"),
        ("filters:fill(cyan)/", "bg=cyan&n=-1"),
        ("fit-in/400x300/filters:fill(blur)/", "w=400&h=300&fit=contain&cblur=50&n=-1"),
        // Bytes, and the file unchanged.
        ("filters:max_bytes(60000)/", "maxbytes=60000&n=-1"),
        ("filters:format(jpeg):max_bytes(60000):quality(90)/", "output=jpg&q=90&maxbytes=60000"),
        ("filters:raw()/", "output=raw"), ("300x200/filters:blur(4):raw()/", "output=raw"),
        ("meta/filters:blurhash(4,3)/", "output=json&json=blurhash&n=-1"),
        ("filters:attachment()/", "n=-1"),
        // Margins, corners and squares.
        (
            "fit-in/100x90/10x5/filters:fill(white)/",
            "w=100&h=90&fit=contain&cbg=white&bg=white&pad=5,10&pbg=white&n=-1"
        ),
        ("100x90/10x5:1x2/filters:fill(none)/", "w=100&h=90&fit=cover&we=0&pad=5,1,2,10&n=-1"),
        (
            "fit-in/100x210/10x20:15x3/filters:rotate(90):fill(yellow)/",
            "w=100&h=210&fit=contain&cbg=ff0&bg=ff0&pad=10,3,15,20&pbg=ff0&ro=270&n=-1"
        ),
        (
            "fit-in/100x210/1x2:3x4/filters:fill(yellow):rotate(90)/",
            "w=100&h=210&fit=contain&cbg=ff0&bg=ff0&pad=3,4,1,2&pbg=ff0&ro=270&n=-1"
        ),
        ("filters:padding(red,10,20,30,40)/", "pad=20,30,40,10&pbg=red&bg=red&n=-1"),
        ("filters:padding(red,10)/", "pad=10&pbg=red&bg=red&n=-1"),
        ("filters:padding(red,10,20)/", "pad=20,10&pbg=red&bg=red&n=-1"),
        ("filters:padding(red,10,20,30)/", "pad=20,10&pbg=red&bg=red&n=-1"),
        ("filters:padding(transparent,10)/", "pad=10&n=-1"), ("filters:padding(none,10)/", "pad=10&n=-1"),
        ("filters:background_color(blue):padding(red,10)/", "pad=10&pbg=red&bg=blue&n=-1"),
        ("filters:background_color(auto):padding(red,10)/", "pad=10&pbg=red&bg=average&n=-1"),
        ("filters:round_corner(50)/", "radius=50&n=-1"),
        ("filters:round_corner(50,50,green)/", "radius=50&bg=green&n=-1"),
        ("filters:fill(cyan):round_corner(50)/", "radius=50&n=-1"),
        (
            "fit-in/100x90/filters:fill(cyan):round_corner(50)/",
            "w=100&h=90&fit=contain&cbg=cyan&radius=50&n=-1"
        ),
        (
            "fit-in/100x90/filters:fill(auto):round_corner(40,60,green)/",
            "w=100&h=90&fit=contain&cbg=average&radius=40/60&bg=green&n=-1"
        ),
        (
            "fit-in/100x90/filters:round_corner(50):fill(cyan)/",
            "w=100&h=90&fit=contain&cbg=cyan&radius=50&bg=cyan&n=-1"
        ),
        ("filters:pixelate()/", "pixelate=10&n=-1"), ("filters:pixelate(4)/", "pixelate=4&n=-1"),
        // Watermark.
        (
            "filters:watermark(w.example/w.png,0,0,0)/", "wm=https://w.example/w.png&wmp=top-left&n=-1"
        ),
        (
            "filters:watermark(w.example%2Fa+b%2Bc.png,0,0,0)/",
            "wm=https%3A%2F%2Fw.example%2Fa%2520b%2Bc.png&wmp=top-left&n=-1"
        ),
        (
            "filters:watermark(b64:aHR0cHM6Ly93LmV4YW1wbGUvdy5wbmc,right,bottom,30,20,none)/",
            "wm=https://w.example/w.png&wmo=0.7&wms=0.2&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,-0,-0p,0)/", "wm=https://w.example/w.png&wmp=top-left&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,-0.0,-1,0)/",
            "wm=https://w.example/w.png&wmp=bottom-left&wmy=1&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,0,0,0,50)/", "wm=https://w.example/w.png&wmp=top-left&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,0,0,0,50,50)/",
            "wm=https://w.example/w.png&wmp=top-left&wms=0.5&wmh=0.5&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,0,0,0,none,50)/",
            "wm=https://w.example/w.png&wmp=top-left&wmh=0.5&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,0,0,0,none,none)/",
            "wm=https://w.example/w.png&wmp=top-left&wms=1&wmh=1&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,repeat,repeat,40)/",
            "wm=https://w.example/w.png&wmp=tile&wmo=0.6&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,repeat,bottom,10,40,40)/",
            "wm=https://w.example/w.png&wmp=row-bottom&wmo=0.9&wms=0.4&wmh=0.4&n=-1"
        ),
        (
            "filters:watermark(w.example/w.png,-20,repeat,0)/",
            "wm=https://w.example/w.png&wmp=column-right&wmx=20&n=-1"
        ),
        // Escaped as a whole, as imagor reads it at its second attempt.
        ("filters%3Afill%28red%29/", "bg=red&n=-1"), ("filters:fill%28red%29/", "bg=red&n=-1"),
    ]

    @Test(arguments: operations)
    func `an operation has one meaning in both`(operations: String, native: String) throws {
        try expect(read(imagor: operations), meansSameAs: native)
    }

    @Test func `what is cut and may not grow is filled up to the box`() throws {
        func canvas(_ operations: String) throws -> BoxCanvas? { try read(imagor: operations).terms.canvas }
        var red = BoxCanvas(hasRatioOnly: false)
        red.background = Color(red: 255, green: 0, blue: 0)
        #expect(try canvas("500x400/filters:no_upscale():fill(red)/") == red)
        #expect(try canvas("500x400/top/filters:fill(red):no_upscale()/") == red)
        let own = try #require(try canvas("500x400/filters:no_upscale():fill(auto)/"))
        #expect(own.sample == .average && own.blur == nil)
        #expect(try canvas("500x400/filters:no_upscale():fill(blur)/")?.blur == 50)
        for operations in [
            "500x400/filters:fill(red)/", "500x400/filters:no_upscale()/",
            "500x0/filters:no_upscale():fill(red)/",
            "fit-in/500x400/filters:fill(red)/", "stretch/500x400/filters:no_upscale():fill(red)/",
            "500x400/filters:no_upscale():fill(red):raw()/",
        ] { #expect(try canvas(operations) == nil, "\(operations)") }
        // A box with one side cuts nothing.
        try expect(
            read(imagor: "500x0/left/filters:no_upscale():fill(red)/"),
            meansSameAs: "w=500&fit=contain&cbg=red&bg=red&n=-1")
        try expect(
            read(imagor: "500x0/filters:no_upscale():fill(red):crop(10,10,50,50)/"),
            meansSameAs: "w=500&cx=10&cy=10&cw=50&ch=50&bg=red&n=-1")
        // Thumbor shrinks the box instead.
        #expect(try read(thumbor: "500x400/filters:no_upscale():fill(red)/").terms.canvas == nil)
    }

    /// A filter that writes text, and the equivalent options of `/img`, if the settings name fonts.
    private static let texts: [(String, String)] = [
        (
            "text(IMAGOR,20,20,sans-bold-36,white,0)",
            "text=IMAGOR&tpos=tl&tx=20&ty=20&tsize=36&tfont=sans%20bold"
        ),
        (
            "text(b64:SGVsbG8gV29ybGQgZnJvbSBpbWFnb3I,-20,20,sans-24,yellow,0,,180,high)",
            "text=Hello%20World%20from%20imagor&tpos=tr&tx=20&ty=20&tsize=24&tcol=ff0&twidth=180&talign=right"
        ),
        ("text(a+b%2Bc%0Ad)", "text=a%20b%2Bc%0Ad&tpos=tl&tsize=20&tcol=black"),
        ("text(b64:YQpi,center,bottom)", "text=a%0Ab&tpos=bottom&talign=left&tsize=20&tcol=black"),
        ("text(b64:!,0,0)", "text=b64:!&tpos=tl&tsize=20&tcol=black"),
        ("text(a,0.5,-0.25,9)", "text=a&tpos=bl&tx=50%25&ty=25%25&tsize=9&tcol=black"),
        (
            "text(a,1,2,monospace-18,red,50,normal,80p,centre,0,word,0,144)",
            "text=a&tpos=tl&tx=1&ty=2&tsize=36&tfont=monospace&tcol=80ff0000&twidth=80%25&talign=center"
        ),
        ("text(a,1,2,sans,red,0,,0.75)", "text=a&tpos=tl&tx=1&ty=2&tsize=20&tcol=red&twidth=75%25"),
        ("text(a,1,2,sans,red,0,,full)", "text=a&tpos=tl&tx=1&ty=2&tsize=20&tcol=red&twidth=100%25"),
        (
            "label(a+b,1,2,9,red,0,sans-bold)",
            "text=a%20b&tpos=tl&tx=1&ty=2&tsize=9&tcol=red&tfont=sans%20bold"
        ),
    ]

    @Test(arguments: texts)
    func `what is written has one meaning in both`(filter: String, native: String) throws {
        let vocabulary = try Vocabulary(
            presets: [], watermarks: [], fonts: ["sans", "sans bold", "monospace"])
        let expected = try ImageRequest.parse(
            query: "url=https://a.example/b.jpg&n=-1&\(native)", vocabulary: vocabulary)
        let found = try ImageRequest.parse(
            imagor: Array("filters:\(filter)/https://a.example/b.jpg".utf8),
            sources: OperationSources(scheme: .https, spelling: .forms), others: .refuse,
            vocabulary: vocabulary)
        #expect(found.recipe == expected.recipe, "\(found.recipe.canonical)")
    }

    @Test func `a nested URL belongs to its filter`() throws {
        let path =
            "filters:watermark(s.example/filters:label(abc):watermark(aaa.example/fit-in/filters:aaa(b,c))/a.jpg,0,0,0):grayscale()/img.example/x"
        let found = try OperationPath(Array(path.utf8)[...], .imagor)
        #expect(found.filters.map(\.name) == ["watermark", "grayscale"])
        #expect(found.filters[0].arguments.count == 4)
        #expect(found.image.elementsEqual("img.example/x".utf8))
    }

    /// A filter, and the name under which a browser saves the picture; nil for none.
    @Test(arguments: [
        ("attachment()", "b"), ("attachment(dog.png)", "dog"),
        ("attachment(big dog, red.jpeg)", "big_dog_red"),
        ("attachment(a/b/dog)", "dog"), ("attachment(.htaccess)", ".htaccess"),
        ("attachment(h%C3%BCndin.jpg)", "h_ndin"),
        ("attachment(a%22b.jpg)", "a_b"),
    ])
    func `an attachment has a name, its own or the picture's`(filter: String, name: String) throws {
        let found = try read(imagor: "filters:\(filter)/").delivery
        #expect(found.isAttachment && found.filename == name, "\(found.filename ?? "none")")
        #expect(try !read(imagor: "").delivery.isAttachment)
    }

    @Test func `an attachment of a URL without a name has none`() throws {
        for path in [
            "https://a.example", "https://a.example/", "https%3A%2F%2Fa.example%2F%3Fx%3D1.jpg",
            "https://a.example/...",
        ] {
            let found = try ImageRequest.parse(
                imagor: Array("filters:attachment()/\(path)".utf8), others: .refuse
            ).delivery
            #expect(found.isAttachment && found.filename == nil, "\(found.filename ?? "none")")
        }
    }

    @Test func `a time of expiry is milliseconds`() throws {
        #expect(try read(imagor: "filters:expire(1900000000999)/").delivery.expiry == 1_900_000_000)
        #expect(
            try read(imagor: "filters:expire(1900000000999):expire(1800000000000)/").delivery.expiry
                == 1_800_000_000)
    }
}
