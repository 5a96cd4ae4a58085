// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import HTTPSemantics
import ImageHeaders
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

private let source = "plain/https://a.example/b.jpg"

@Suite("imgproxy's options mean the native options of the same picture")
struct ImgproxyOptionTests {
    private func canonical(_ native: String) throws -> String {
        let words = try Vocabulary(presets: [], watermarks: ["logo"])
        // By default imgproxy keeps the copyright.
        let metadata = native.contains("metadata=") ? "" : "&metadata=copyright"
        return try ImageRequest.parse(
            query: "url=https://a.example/b.jpg&\(native)\(metadata)", vocabulary: words
        )
        .recipe.canonical
    }

    /// imgproxy's options, and the equivalent ones of /img.
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
            ("rs:auto:300:400", "w=300&h=400&fit=auto"),
            ("rs:auto:300:400/g:no", "w=300&h=400&fit=auto&a=top"),
            ("rs:fill-down:300:400", "w=300&h=400&fit=cover&shrinkbox"),
            ("rs:fill-down:300:400/g:sm", "w=300&h=400&fit=cover&shrinkbox&a=attention"),
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
            (
                "rs:fill:30:40/g:fp:0.3333333333333333:0.6666666666666666/dpr:1.100000023841858",
                "w=33&h=44&fit=cover&a=focal&fpx=0.3333&fpy=0.6667"
            ),
            ("rs:fill:300:400/g:fp:1:0", "w=300&h=400&fit=cover&a=top-right"),
            ("rs:fill:300:400/g:fp:1:5.551115123125783e-17", "w=300&h=400&fit=cover&a=top-right"),
            ("w:300/g:sm", "w=300"), ("w:300/g:no:10:10", "w=300"),
            // A canvas.
            ("rs:fit:300:400:0:1", "w=300&h=400&fit=contain"),
            ("rs:fit:300:400:0:1/f:jpg", "w=300&h=400&fit=contain&cbg=fff&output=jpg"),
            ("pd:5/f:jpeg", "pad=5&pbg=fff&output=jpg"),
            ("s:300:400:1:1:no", "w=300&h=400&fit=contain&a=top&we=0"),
            ("s:300:400/ex:1:fp:0:1/f:png", "w=300&h=400&fit=contain&a=bottom-left&output=png"),
            ("s:300:400/ex:1/bg:ff0000/f:webp", "w=300&h=400&fit=contain&cbg=f00&bg=f00&output=webp"),
            ("w:300/ex:1", "w=300&fit=contain"), ("h:300/ex:1:so:0:5", "h=300&fit=contain&a=bottom&ay=5"),
            ("w:300/ex:1/el:1", "w=300&we=0"), ("rs:fill:300:0:0:1", "w=300&fit=contain"),
            ("rs:force:300:0:1:1", "w=300&h=100%25&fit=fill&we=0"), ("w:300/exar:1", "w=300"),
            ("w:300/ex:1/rot:90", "h=300&fit=contain&ro=90"), ("s:300:400/ex:0:so", "w=300&h=400"),
            ("rs:fill:300:400:1:1", "w=300&h=400&fit=cover&we=0"), ("exar:0/w:8", "w=8"),
            // Cuts.
            ("c:100:80:nowe:20:10", "cx=20&cy=10&cw=100&ch=80&precrop"),
            ("crop:100:80:nowe/w:50", "cw=100&ch=80&precrop&w=50"),
            ("c:0.5:0.25", "cx=25%25&cy=37.5%25&cw=50%25&ch=25%25&precrop"),
            ("c:0.5:0/g:ea", "cx=50%25&cw=50%25&precrop"),
            ("c:0.5:0.5:fp:0.1:0.5", "cy=25%25&cw=50%25&ch=50%25&precrop"),
            ("c:0.5:0.5:ce:0.1:-0.5", "cx=35%25&cw=50%25&ch=50%25&precrop"),
            ("c:0:300:no:0:20", "cy=20&ch=300&precrop"), ("c:0:0:sm", ""),
            ("c:0:0/rot:90/w:20", "ro=90&h=20"),
            ("c:0:0/rot:90/rs:fill:20:10/g:no", "ro=90&w=10&h=20&fit=cover&a=left"),
            ("c:0:0/rs:fill-down:300:400/exar:1", "w=300&h=400&fit=cover&shrinkbox"),
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
            ("blur:0", ""), ("blur:0.2", ""), ("sh:0.7", "sharp=0,3,0.7"), ("sharpen:0", ""),
            ("pix:1/w:8", "w=8"),
            ("pd:0/w:8", "w=8"), ("pd:10/w:8/bg:fff", "w=8&pad=10&bg=fff"),
            ("padding:1:2:3:4/f:png", "pad=1,2,3,4&output=png"), ("pd:5:7", "pad=5,7"),
            ("pd::7:3/f:webp", "pad=0,7,3&output=webp"), ("pd:5/dpr:2/w:8", "w=16&pad=10"),
            ("pd:5/z:2/w:8", "w=16&pad=5"), ("pix:5", "pixelate=5"), ("mb:0/w:8", "w=8"),
            ("mw:0/mh:0/w:8", "w=8"), ("mw:100/mh:80", "minw=100&minh=80"), ("mw:50/w:100", "w=100&minw=50"),
            ("mw:150/w:100/z:2", "w=200&minw=150"),
            ("min-height:50/h:60/dpr:2", "h=60&minh=50&dpr=2"), ("rot:90/mw:100", "ro=90&minh=100"),
            ("rs:force:30:40:1/z:2:0.5", "w=60&h=20&fit=fill&we=0"),
            ("rs:force:0:0:1/z:2:0.5", "w=200%25&h=50%25&fit=fill&we=0"),
            ("mb:1000/f:webp", "output=webp&maxbytes=1000"),
            ("raw:1/w:8/q:5", "output=raw"), ("att:1/w:8", "w=8"),
            ("s:300:400/exar:1", "w=300&h=400&fit=contain&shrinkbox"),
            ("s:300:400:1/exar:1", "w=300&h=400&fit=contain&we=0"),
            ("s:300:400:1/exar:1:no:0:3", "w=300&h=400&fit=contain&we=0&a=top&ay=3"),
            ("rs:fill:300:400:1/exar:1", "w=300&h=400&fit=cover&we=0"),
            ("rs:fill-down:300:400/exar:1", "w=300&h=400&fit=cover&shrinkbox"),
            ("rs:force:300:400/exar:1", "w=300&h=400&fit=fill"), ("rs:fill:300/exar:1", "w=300"),
            // Offsets.
            ("rs:fill:300:400/g:no:0:10", "w=300&h=400&fit=cover&a=top&ay=10"),
            ("rs:fill:300:400/g:soea:5:0.1", "w=300&h=400&fit=cover&a=bottom-right&ax=5&ay=10%25"),
            ("rs:fill:300:400/g:ce:-5:0/fl:1", "w=300&h=400&fit=cover&ax=5&flop"),
            ("rs:fill:20:10/g:nowe:1:2/rot:90", "ro=90&w=10&h=20&fit=cover&a=bottom-left&ax=2&ay=1"),
            ("rs:fill:20:10/g:ce:1:2/rot:270", "ro=270&w=10&h=20&fit=cover&ax=-2&ay=1"),
            ("rs:fill:20:10/g:ce:1:2/rot:180", "ro=180&w=20&h=10&fit=cover&ax=-1&ay=-2"),
            ("rs:fill:20:10/g:no:0:4/dpr:2", "w=20&h=10&fit=cover&a=top&ay=4&dpr=2"),
            ("s:3:4/ex:1:ce:5:5", "w=3&h=4&fit=contain&ax=5&ay=5"),
            ("wm:0.5", "wm=logo&wmp=center&wmo=0.5"),
            ("watermark:1:soea:0:0:0.2", "wm=logo&wmp=bottom-right&wms=0.2&wmh=0.2"),
            ("wm:1:re:::0.5", "wm=logo&wmp=tile&wms=0.5&wmh=0.5"), ("wm:1:re", "wm=logo&wmp=tile"),
            ("wm:1:re:0:0", "wm=logo&wmp=tile"), ("wm:0:re:5:5", ""), ("wm:0:nowe:-5", ""),
            ("wm:1:nowe:5:7", "wm=logo&wmp=top-left&wmx=5&wmy=7"),
            ("wm:1:no:-5:7", "wm=logo&wmp=top&wmx=-5&wmy=7"),
            ("wm:1:ce:-3:-0.1", "wm=logo&wmp=center&wmx=-3&wmy=-10%25"),
            ("wm:1:soea:0.1:0/dpr:2/w:8", "wm=logo&wmp=bottom-right&wmx=10%25&w=16"),
            ("wm:1:ce:3:4/dpr:2/w:8", "wm=logo&wmp=center&wmx=6&wmy=8&w=16"),
            ("wm:0:no", ""),
            // Cut from the middle, and from a side.
            ("c:100:80/w:50", "cw=100&ch=80&ca=center&precrop&w=50"),
            ("c:100:80:ce:5:0/w:50", "cw=100&ch=80&cx=5&ca=center&precrop&w=50"),
            ("g:soea:3:4/c:100:80/w:50", "cw=100&ch=80&cx=3&cy=4&ca=bottom-right&precrop&w=50"),
            ("c:100:0.5:ea/w:50", "cw=100&ch=50%25&ca=right&precrop&w=50"),
            ("c:0:80/w:50", "ch=80&ca=center&precrop&w=50"),
            ("c:100:80:sm/w:50", "cw=100&ch=80&ca=attention&precrop&w=50"),
            ("c:0.5:80:sm", "cw=50%25&ch=80&ca=attention"),
            ("g:sm/c:100:0/w:50", "cw=100&ca=attention&precrop&w=50"),
            ("c:100:80:fp:0.3:0.7/w:50", "cw=100&ch=80&ca=0.3:0.7&precrop&w=50"),
            ("c:100:0.5:fp:0.3:0.7", "cw=100&ch=50%25&ca=0.3:0.7"),
            ("c:100:0:fp:0.3:0.7", "cw=100&ca=0.3:0.5"),
            ("c:100:80:fp:0.5:0.5", "cw=100&ch=80&ca=center"),
            ("c:100:80:nowe:-1:0", "cw=100&ch=80"), ("c:100:80:soea:-1:-0.5", "cw=100&ch=80&ca=bottom-right"),
            ("c:100:80:ce:0:-5", "cw=100&ch=80&cy=-5&ca=center"),
            ("c:100:80:ce:-0.1:0.25", "cw=100&ch=80&cx=-10%25&cy=25%25&ca=center"),
            ("c:100:80:no:-7:-0.5", "cw=100&ch=80&cx=-7&ca=top"),
            // The file.
            ("skp:png:gif:jpeg", "asis=jpg,png,gif"), ("skp:heic:svg", ""), ("skp:", ""),
            ("skp:png/f:png", "asis=png&output=png"), ("skp:png/f:webp", "output=webp"),
            ("q:80", "q=80"), ("quality:0", ""), ("f:webp/q:70", "output=webp&q=70"),
            ("ext:jpeg", "output=jpg"),
            ("format:avif", "output=avif"), ("fq:webp:60:jpg:70/f:jpg", "output=jpg&q=70"),
            ("fq:jpeg:60/f:png", "output=png"), ("fq:webp:60/q:50", "q=50"),
            ("fq:webp:60/f:webp/q:50", "output=webp&q=50"), ("fq:webp:60", "fq=webp:60"),
            ("fq:webp:60:png:50:jpeg:70:webp:61", "fq=jpg:70,webp:61"), ("fq:webp:0:heic:9", ""),
            ("msr:50/msfs:1000/mafr:0.5/mrd:900", ""), ("max_src_resolution:0", ""),
            ("sm:1/kcr:1/scp:1", ""), ("kcr:0", "metadata=none"), ("kcr:0/kcr:1", ""),
            ("scp:0", "profile=keep"), ("ph:0/eth:0", ""),
            ("eth:1", ""),
            ("cb:123", ""), ("raw:0/att:0", ""), ("maf:100/f:webp", "n=100&output=webp"), ("exp:0", ""),
            ("exp:4000000000", ""), ("w%3A300", "w=300"),
        ] as [(String, String)])
    func `an option is what the native one is`(options: String, native: String) throws {
        let request = try read(imgproxy: "/insecure/\(options)/\(source)") { $0.imgproxy.watermark = "logo" }
        #expect(request.recipe.canonical == (try canonical(native)))
        #expect(request.source.absolute == "https://a.example/b.jpg")
        #expect(request.recipe == request.recipe.canonicalised)
    }

    /// Of one name, and of a name and its parts.
    @Test(
        arguments: [
            // A focal point is no offset of a side.
            ("rs:fill:8:9/g:fp:0.3:0.7/g:no", "rs:fill:8:9/g:no"),
            ("rs:fill:8:9/g:no:5:6/g:fp:0.3:0.7/g:so", "rs:fill:8:9/g:so"),
            ("rs:fill:8:9/g:no:5:6/g:sm/g:so", "rs:fill:8:9/g:so"),
            ("rs:fill:8:9/g:sm/g:fp:0.3:0.7", "rs:fill:8:9/g:fp:0.3:0.7"),
            ("c:3:4:fp:0.3:0.7/c:3:4:no", "c:3:4:no"), ("c:3:4:fp:0.3:0.7/c:5:6:sm", "c:5:6:sm"),
            ("s:8:9/ex:1:fp:0.3:0.7/ex:1:no", "s:8:9/ex:1:no"), ("s:8:9/ex:1:no/ex:0", "s:8:9"),
            ("s:8:9/w:5", "s:5:9"), ("w:5/h:6/rs:fill:8:9", "rs:fill:8:9"), ("rs:fill:8:9/rt:fit", "s:8:9"),
            ("s:8:9:1/el:0", "s:8:9"), ("z:2:3/z:2/w:8", "z:2/w:8"),
            ("pd:1:2:3:4/pd:5", "pd:5"), ("t:10:ff0000/t:20", "t:20"), ("t:10/t:", ""),
            ("bg:ff0000/bg:", ""), ("bg:ff0000/bg:0:0:255", "bg:00f"),
            ("wm:1:re/wm:0.5:soea", "wm:0.5:soea"), ("wm:1:soea/wm:0", ""),
            ("q:80/q:0", ""), ("fq:webp:60/fq:webp:0", ""), ("mb:1000/mb:0", ""), ("f:png/f:webp", "f:webp"),
        ] as [(String, String)])
    func `a later option leaves nothing of what it replaces`(options: String, same: String) throws {
        let recipes = try [options, same].map { options in
            try read(imgproxy: "/_/\(options.isEmpty ? "" : options + "/")\(source)") {
                $0.imgproxy.watermark = "logo"
            }.recipe.canonical
        }
        #expect(recipes[0] == recipes[1])
    }

    /// As imgproxy, which keeps each argument for itself.
    @Test(
        arguments: [
            ("rs:fill:8:9/g:no:5:6/g:so", "rs:fill:8:9/g:so:5:6"), ("c:3:4:no:1:2/c:5", "c:5:4:no:1:2"),
            ("s:8:9/s:5", "s:5:9"), ("pd:1:2:3:4/pd::5", "pd:1:5"), ("wm:0.5:soea:10/wm:1", "wm:1:soea:10"),
            ("s:8:9/ex:1:no:0:5/ex:1", "s:8:9/ex:1:no:0:5"), ("fq:webp:60/fq:jpg:70", "fq:webp:60:jpg:70"),
        ])
    func `what a later option leaves out stays`(options: String, same: String) throws {
        let recipes = try [options, same].map { options in
            try read(imgproxy: "/_/\(options)/\(source)") { $0.imgproxy.watermark = "logo" }
                .recipe.canonical
        }
        #expect(recipes[0] == recipes[1])
    }

    @Test func `limits are those of the URL, and none is 0`() throws {
        let options = "msr:50.5/msfs:1000/mafr:0.5/mrd:900"
        var limits = try read(imgproxy: "/_/\(options)/\(source)").terms.limits
        #expect((limits.pixels, limits.framePixels) == (50_500_000, 500_000))
        #expect((limits.bytes, limits.side) == (1000, 900))
        limits = try read(imgproxy: "/_/\(options)/msr:0/msfs:0/mafr:0/mrd:0/\(source)").terms.limits
        #expect(limits == .none)
    }

    @Test(
        arguments: [
            ("colour:red", "There is no option"), (":3", "There is no option"), ("w:", "width|\"w\""),
            ("w:-1", "0…16384"), ("w:99999", "0…16384"), ("w:3.5", "0…16384"), ("w:a", "0…16384"),
            ("w:99999999999999999999", "0…16384"), ("rs:cover:1:1", "fit, fill, fill-down"),
            ("rt:", "fit, fill, fill-down"), ("s:1:2:3:4:5:6:7:8", "width:height"),
            ("rs:force:300:0:0:1", "extend"),
            ("rs:fill:300:400/exar:1/t:10", "extend_aspect_ratio:1 with crop"),
            ("rs:auto:300:400:0:1/c:10:10", "extend:1 with crop"),
            ("wm:1:re:5", "without gaps"), ("wm:1:re:0:-0.1", "without gaps"),
            ("wm:1:nowe:5:-7", "within the picture"), ("wm:1:ea:-0.1", "within the picture"),
            ("z:1:2", "two factors"), ("z:0", "0.0001…1000"),
            ("z:100/w:8", "0.1…8"), ("dpr:0", "0.1…8"), ("dpr:9", "0.1…8"), ("dpr:nan", "0.1…8"),
            ("mw:100/h:50", "least of the same side"), ("mh:100/s:8:8", "least of the same side"),
            ("mw:100/w:50", "least of the same side"), ("mh:60/h:100/z:0.5", "least of the same side"),
            ("mw:-1", "0…16384"),
            ("g:face", "ce, no, so"), ("g:fp:2:0", "0…1"), ("g:fp:0.5", "fp:x:y"), ("g:sm:1:1", "sm"),
            ("g:obj:face", "finds no objects"), ("g:", "ce, no, so"), ("g:no:1:2:3", "ce, no, so"),
            ("ex:1:sm/s:3:4", "other than sm"),
            ("c:-1:1", "0…65535 pixels"),
            ("c:1:1:1:1:1:1", "width:height:gravity"),
            ("t:300", "0…255"), ("t:10:red", "hexadecimal"), ("t:10::1", "whole border"),
            ("pd:x", "0…16384"), ("pd:1:2:3:4:5", "top:right"),
            ("ar:0", "upright"), ("rot:45", "multiples of 90"), ("rot:x", "steps of 90"),
            ("bg:red", "hexadecimal"), ("bg:1:2", "three numbers"), ("bg:256:0:0", "0…255"),
            ("bl:1001", "0…1000"), ("bl:-1", "0…1000"), ("sh:11", "0 or 0.0001…10"),
            ("pix:5/dpr:2", "without dpr"), ("pix:2000", "0…1000"),
            ("wm:2", "0…1"), ("wm:1:ch", "a position"), ("wm:1:ce:x", "-65535…65535"),
            ("wm:1:ce:0:0:2", "0 or 0.01…1"),
            ("sm:0", "the copyright only"), ("ph:1", "8 bits"), ("q:101", "0…100"),
            ("fq:webp", "pairs"), ("fq:webp:x/f:webp", "0…100"), ("fq:webpp:60", "pairs"),
            ("aq:size:1000", "autoquality|\"aq\""), ("mb:-1", "0…1000000000 bytes"),
            ("f:bmp", "format:bmp"),
            ("f:svg", "format:svg"), ("f:best", "format:best"), ("f:docx", "jpg, png"), ("f:", "jpg, png"),
            ("skp:docx", "formats, as png:gif"), ("exp:soon", "unix time"),
            ("exp:-5", "unix time"), ("exp:1:2", "unix time"), ("fn:%FF", "UTF-8"), ("fn:a:0:1", "UTF-8"),
            ("fn:!!:1", "UTF-8"), ("pr:none", "There is no preset"),
            ("msr:-1", "0…1000000 megapixels"), ("max_src_file_size:x", "0…1000000000000 bytes"),
            ("mrd:", "0…1000000000000 pixels a side"),
            ("mafr:nan", "0…1000000 megapixels"), ("maf:0", "1…256 frames"),
            ("vts:5", "no videos"), ("video_thumbnail_tile:1:1:1:1:1", "no videos"), ("ra:cubic", "Lanczos"),
            ("mc:1", "imgproxy Pro"), ("dpi:72", "imgproxy Pro"), ("hs:md5:00", "imgproxy Pro"),
            ("wmt:aaaa", "is a picture"), ("jpgo:1", "settings (encoder)"),
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

    @Test func `an attachment is delivered as one`() throws {
        for (options, isAttachment) in [
            ("att:1", true), ("att:0", false), ("raw:1/return_attachment:t", true),
        ] {
            #expect(
                try read(imgproxy: "/_/\(options)/\(source)").delivery.isAttachment == isAttachment,
                "\(options)")
        }
    }

    @Test func `a file name is handed over`() throws {
        for options in ["fn:photo-1", "filename:photo%2D1", "fn:cGhvdG8tMQ:1", "fn:cGhvdG8tMQ==:t"] {
            #expect(try read(imgproxy: "/_/\(options)/\(source)").delivery.filename == "photo-1")
        }
    }

    @Test func `a file without a name of its own has that of its source`() throws {
        let path = "plain/https://a.example/dir"
        for (target, name) in [
            ("\(path)/b.jpg", "b"), ("att:1/\(path)/b.c.jpg@webp", "b.c"), ("fn:/\(path)/b.jpg", "b"),
            ("plain/https://a.example/", "image"), ("\(path)/%253F%253F", "image"),
            ("aHR0cDovL2EuZXhhbXBsZS9iLmpwZz9jPS9k", "b"),
        ] {
            let delivery = try read(imgproxy: "/_/\(target)").delivery
            #expect(delivery.filename == name && delivery.fullName == nil, "\(target)")
        }
    }

    @Test(
        arguments: [
            ("fn:Srebrne%20cz%C3%B3%C5%82enka", "Srebrne_cz__enka", "Srebrne czółenka"),
            ("fn:U3JlYnJuZSBjesOzxYJlbmth:1", "Srebrne_cz__enka", "Srebrne czółenka"),
            ("fn:%E5%86%99%E7%9C%9F", "image", "\u{5199}\u{771F}"), ("fn:a%2Fb%5Cc", "a_b_c", nil),
            ("fn:a%0D%0Ab%E2%80%AEc", "a__b_c", nil), ("fn:%22a%22", "_a_", "\"a\""), ("fn:.a", ".a", nil),
        ] as [(String, String, String?)])
    func `a name that is no token is handed over beside one`(
        option: String, token: String, full: String?
    ) throws {
        let delivery = try read(imgproxy: "/_/\(option)/\(source)").delivery
        #expect(delivery.filename == token && delivery.fullName == full, "\(delivery.fullName ?? "none")")
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

    @Test func `what may be cut lies on a canvas where the original is too small`() throws {
        func canvas(_ options: String) throws -> BoxCanvas? {
            try read(imgproxy: "/_/\(options)/\(source)").terms.canvas
        }
        let (box, ratio) = (BoxCanvas(hasRatioOnly: false), BoxCanvas(hasRatioOnly: true))
        for (options, expected) in [
            ("rs:fill:300:400:0:1", box), ("rs:fill-down:300:400:0:1", box), ("rs:auto:300:400:0:1", box),
            ("rs:auto:300:400:1:1", box), ("rs:fill:300:400/exar:1", ratio),
            ("rs:auto:300:400/exar:1", ratio),
            ("rs:fill:300:400:0:1/exar:1", box), ("rs:fill:300:400:1:1", nil),
            ("rs:fill:300:400:1/exar:1", nil),
            ("rs:fit:300:400:0:1", nil), ("rs:fill-down:300:400/exar:1", nil), ("rs:fill:300:0:0:1", nil),
            ("rs:force:300:400/exar:1", nil), ("rs:fill:300:400", nil), ("raw:1/rs:fill:300:400:0:1", nil),
        ] as [(String, BoxCanvas?)] { #expect(try canvas(options) == expected, "\(options)") }
        let placed = try #require(try canvas("rs:fill:300:400:0:1:no:0:5/bg:ff0000/rot:90"))
        #expect(placed.alignment == .left && placed.background == Color("f00"))
        #expect(placed.shift.x == .pixels(5) && placed.shift.y == nil)
        #expect(
            try read(imgproxy: "/_/rs:fill:300:400:0:1/\(source)").recipe.canonical
                == canonical("w=300&h=400&fit=cover"))
    }

    @Test func `the pixel ratio is told, so that it may be lowered`() throws {
        for (options, ratio) in [("w:8/dpr:3", 3.0), ("w:8/dpr:0.5", 0.5), ("w:8/z:3", 1), ("w:8", 1)] {
            #expect(try read(imgproxy: "/_/\(options)/\(source)").terms.pixelRatio == ratio, "\(options)")
        }
    }

    @Test func `drawings may grow whatever enlarge says, and other pictures when it says so`() throws {
        for options in ["w:8", "w:8/el:0", "rs:fill:8:9:0"] {
            let asked = try read(imgproxy: "/_/\(options)/\(source)@png")
            #expect(asked.terms.enlargesDrawings && asked.recipe.withoutEnlargement, "\(options)")
        }
        #expect(try read(imgproxy: "/_/raw:1/w:8/\(source)").terms.enlargesDrawings == false)
    }

    @Test func `where neither names one, the formats of the settings are the only ones`() throws {
        let usual = { (formats: [String]?) in
            try read(imgproxy: "/_/w:8/\(source)") { settings in
                if let formats { settings.imgproxy.preferredFormats = formats }
            }.terms.defaultFormat
        }
        #expect(try usual(nil) == .among([.jpeg, .png, .gif]))
        #expect(try usual(["webp", "jpg", "tiff"]) == .among([.webp, .jpeg, .tiff]))
        for formats in [[], ["bmp"], ["png", ""]] {
            #expect(throws: UnusableSetting.self) { try usual(formats) }
        }
    }
}
