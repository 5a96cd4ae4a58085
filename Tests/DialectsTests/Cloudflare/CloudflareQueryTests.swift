// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import Origin
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite("Cloudflare's options become those of /img, or are refused by name")
struct CloudflareQueryTests {
    /// Cloudflare's options, and the query of `/img` that asks for the same picture.
    private static let options: [(String, String)] = [
        // Size.
        ("width=80", "w=80&n=-1"), ("w=80,h=60", "w=80&h=60&n=-1"), ("height=250", "h=250&n=-1"),
        ("width=80,quality=75", "w=80&q=75&n=-1"), ("width=300,height=200,dpr=2", "w=600&h=400&n=-1"),
        ("w=80,height=,fit=scale-down", "w=80&n=-1"), ("width=,h=60", "h=60&n=-1"),
        ("w=80,h=auto", "w=80&n=-1"), ("", "n=-1"), (",", "n=-1"), ("exp=1900000000", "n=-1"),
        ("w=101,dpr=1.5", "w=152&n=-1"), ("dpr=2", "n=-1"), ("w=10,h=10,dpr=1", "w=10&h=10&n=-1"),
        // Fit.
        ("fit=scale-down,w=80,h=60", "w=80&h=60&n=-1"), ("fit=contain,w=80,h=60", "w=80&h=60&we=0&n=-1"),
        ("fit=cover,w=80,h=60", "fit=cover&w=80&h=60&we=0&n=-1"),
        ("fit=crop,w=80,h=60", "fit=cover&w=80&h=60&n=-1"),
        ("fit=pad,w=80,h=60", "fit=contain&cbg=white&w=80&h=60&we=0&n=-1"),
        ("fit=squeeze,w=80,h=60", "fit=fill&w=80&h=60&we=0&n=-1"),
        ("fit=contain,width=1920", "w=1920&we=0&n=-1"),
        ("fit=cover", "n=-1"),
        ("fit=aspect-crop,w=80,h=60", "fit=cover&shrinkbox&w=80&h=60&n=-1"),
        ("fit=aspect-crop,w=80,h=60,g=top", "fit=cover&shrinkbox&a=top&w=80&h=60&n=-1"),
        ("fit=scale-up,w=80,h=60", "w=80&h=60&we=0&wr&n=-1"),
        // Border.
        ("border=5,w=80", "w=80&pad=5&pbg=black&n=-1"),
        ("border.width=5,border.left=0", "pad=5,5,5,0&pbg=black&n=-1"),
        ("border.top=3,border.color=red,dpr=2", "pad=6,0,0&pbg=red&n=-1"), ("border=0,w=80", "w=80&n=-1"),
        ("border=4,rotate=90,w=80", "ro=90&h=80&pad=4&pbg=black&n=-1"),
        // Gravity.
        ("fit=cover,w=8,h=6,gravity=auto", "fit=cover&w=8&h=6&we=0&a=attention&n=-1"),
        ("fit=cover,w=8,h=6,g=left", "fit=cover&w=8&h=6&we=0&a=left&n=-1"),
        ("fit=crop,w=8,h=6,gravity=top", "fit=cover&w=8&h=6&a=top&n=-1"),
        ("fit=crop,w=8,h=6,gravity=0x1", "fit=cover&w=8&h=6&a=bottom-left&n=-1"),
        (
            "fit=crop,w=8,h=6,gravity=0.3333333333333333x0.1",
            "fit=cover&w=8&h=6&a=focal&fpx=0.3333&fpy=0.1&n=-1"
        ),
        ("fit=crop,w=8,h=6,gravity=0.5x0.5", "fit=cover&w=8&h=6&n=-1"),
        ("fit=crop,w=8,h=6,g=0.5x0.33", "fit=cover&w=8&h=6&a=focal&fpy=0.33&n=-1"),
        ("fit=pad,w=8,h=6,gravity=left", "fit=contain&cbg=white&w=8&h=6&we=0&n=-1"),
        ("w=8,h=6,gravity=auto", "w=8&h=6&n=-1"),
        // Format and quality.
        ("format=auto", "output=auto&n=-1"), ("f=avif", "output=avif&n=-1"),
        ("format=webp", "output=webp&n=-1"),
        ("format=jpeg", "output=jpg&il"), ("f=jpg,q=60", "output=jpg&il&q=60"),
        ("format=baseline-jpeg", "output=jpg"), ("format=png", "output=png"),
        ("format=json", "output=json&n=-1"), ("format=webp,quality=100", "output=webp&ll&n=-1"),
        ("format=webp,quality=99", "output=webp&q=99&n=-1"), ("quality=high", "q=auto:0.9&n=-1"),
        ("q=medium-high", "q=auto:0.8&n=-1"), ("q=medium-low", "q=auto:0.65&n=-1"),
        ("q=low", "q=auto:0.5&n=-1"),
        ("w=80,scq=50", "w=80&n=-1"), ("w=80,slow-connection-quality=low", "w=80&n=-1"),
        ("anim=false,w=80", "w=80"), ("anim=true,w=80", "w=80&n=-1"),
        // Turns.
        ("rotate=90", "ro=90&n=-1"), ("rotate=180", "ro=180&n=-1"), ("rotate=0,w=9", "w=9&n=-1"),
        ("rotate=270,w=80,h=60", "ro=270&w=60&h=80&n=-1"), ("rotate=90,w=80", "ro=90&h=80&n=-1"),
        ("flip=h", "flop&n=-1"), ("flip=v", "flip&n=-1"), ("flip=hv", "ro=180&n=-1"),
        ("flip=h,rotate=90", "ro=90&flip&n=-1"), ("flip=v,rotate=90", "ro=90&flop&n=-1"),
        ("rotate=90,fit=crop,w=8,h=6,g=top", "ro=90&fit=cover&w=6&h=8&a=left&n=-1"),
        ("rotate=270,fit=crop,w=8,h=6,g=top", "ro=270&fit=cover&w=6&h=8&a=right&n=-1"),
        ("rotate=180,fit=crop,w=8,h=6,g=0.2x0.3", "ro=180&fit=cover&w=8&h=6&a=focal&fpx=0.8&fpy=0.7&n=-1"),
        (
            "rotate=90,flip=h,fit=crop,w=8,h=6,g=0.2x0.3",
            "ro=90&flip&fit=cover&w=6&h=8&a=focal&fpx=0.7&fpy=0.8&n=-1"
        ),
        // Colours and light.
        ("background=red", "bg=red&n=-1"), ("background=%23ff8000", "bg=ff8000&n=-1"),
        ("background=%23f80", "bg=ff8800&n=-1"), ("background=%23ff800080", "bg=80ff8000&n=-1"),
        ("background=%23f808", "bg=88ff8800&n=-1"), ("background=rgb%28240%2C40%2C145%29", "bg=f02891&n=-1"),
        ("background=rgb(240,40,145),w=8", "bg=f02891&w=8&n=-1"),
        ("background=rgba%28250%2C40%2C145%2C0.5%29", "bg=80fa2891&n=-1"),
        ("background=rgb(255%20255%200)", "bg=ffff00&n=-1"),
        ("background=RGB(100%25%200%25%200%25%20%2F%2050%25)", "bg=80ff0000&n=-1"),
        ("background=transparent", "n=-1"),
        ("fit=pad,w=8,h=6,background=red", "fit=contain&cbg=red&bg=red&w=8&h=6&we=0&n=-1"),
        ("fit=pad,w=8,h=6,background=%23ff000080", "fit=contain&bg=80ff0000&w=8&h=6&we=0&n=-1"),
        ("blur=50", "blur=50&n=-1"), ("blur=0", "n=-1"), ("blur=250", "blur=250&n=-1"),
        ("sharpen=2", "sharp=2&n=-1"),
        ("sharpen=0", "n=-1"), ("brightness=0.5", "mod=0.5&n=-1"), ("brightness=0", "n=-1"),
        ("saturation=0", "sat=0&n=-1"), ("saturation=2,brightness=2", "mod=2,2&n=-1"),
        ("contrast=1", "n=-1"), ("contrast=0", "n=-1"), ("contrast=2", "con=26&n=-1"),
        ("contrast=0.5", "con=-26&n=-1"),
        ("contrast=7", "con=93&n=-1"), ("gamma=2", "gam=0.5&n=-1"), ("gamma=0.5", "gam=2&n=-1"),
        ("gamma=3", "gam=0.3333&n=-1"), ("gamma=0.1", "gam=10&n=-1"), ("gamma=10", "gam=0.1&n=-1"),
        ("gamma=1", "n=-1"), ("gamma=0", "n=-1"),
        // Margins that are cut off first.
        ("trim=20;0;0;10,w=80", "cx=10&cy=20&precrop&w=80&n=-1"),
        ("trim=20;30;25;0,w=80", "cy=20&cw=-30&ch=-25&precrop&w=80&n=-1"),
        ("trim=20%3B30%3B20%3B0", "cy=20&cw=-30&ch=-20&n=-1"), ("trim=0;0;0;0,w=9", "w=9&n=-1"),
        (
            "trim.width=678,trim.height=670,trim.left=30,trim.top=40,w=80",
            "cx=30&cy=40&cw=678&ch=670&precrop&w=80&n=-1"
        ),
        ("trim.left=800", "cx=800&n=-1"), ("trim.right=8,trim.bottom=9,w=1", "cw=-8&ch=-9&precrop&w=1&n=-1"),
        ("trim=2;3;4;5,dpr=2,w=10", "cx=10&cy=4&cw=-6&ch=-8&precrop&w=20&n=-1"),
        ("trim=0.25;0.1;0.25;0.2,w=9", "cx=20%25&cy=25%25&cw=70%25&ch=50%25&precrop&w=9&n=-1"),
        ("trim=0;0.25;0;0,w=9", "cw=75%25&precrop&w=9&n=-1"), ("trim=border", "trim=10&n=-1"),
        ("trim=border,trim.border.color=%23fff,trim.border.tolerance=5", "trim=5&tbg=fff&n=-1"),
        ("trim.border.tolerance=0,trim.border.keep=0", "trim=1&n=-1"),
        ("trim.border.tolerance=255", "trim=254&n=-1"),
        // Options without an effect.
        ("compression=fast,w=80", "w=80&n=-1"), ("metadata=none,w=80", "w=80&n=-1&metadata=none"),
        ("metadata=copyright,w=80", "w=80&n=-1"),
        ("metadata=copyright,f=webp", "output=webp&n=-1&metadata=copyright"),
        ("zoom=0.5,w=80", "w=80&n=-1"), ("face-zoom=0.5,w=80", "w=80&n=-1"),
        ("upscale=interpolate,fit=contain,w=80", "w=80&we=0&n=-1"), ("onerror=redirect,w=80", "w=80&n=-1"),
        ("exp=1900000000,w=80", "w=80&n=-1"),
        (",w=80,,h=60,", "w=80&h=60&n=-1"),
    ]

    @Test(arguments: options)
    func `an option has one meaning in both`(options: String, native: String) throws {
        // By default a JPEG keeps its copyright.
        let isJPEG =
            !native.contains("output=") || native.contains("output=jpg") || native.contains("output=auto")
        let metadata = native.contains("metadata=") || !isJPEG ? "" : "&metadata=copyright"
        let expected = try ImageRequest.parse(query: "url=https://a.example/b.jpg&\(native)\(metadata)")
        let found = try read(cloudflareOptions: options)
        #expect(found.recipe == expected.recipe, "\(found.recipe.canonical)")
        #expect(found.source == expected.source)
        #expect(found.recipe == found.recipe.canonicalised)
    }

    /// Options, and the text of their refusal.
    private static let refused: [(String, String)] = [
        ("gravity=face,w=80", "\"gravity=face\" is not supported. Pictor finds no faces"),
        ("border=-1", "\"border\" is not allowed. Allowed: 0…16384 pixels"),
        ("border.top=16385", "\"border.top\""),
        ("border=5,border.width=5", "\"border\" is given more than once"),
        ("border.color=12", "\"border.color\""),
        ("border.radius=5", "no option \"border.radius\""),
        ("segment=foreground", "\"segment\" is not supported"),
        ("upscale=generate", "\"upscale=generate\" is not supported"),
        ("upscale=bicubic", "\"upscale\" is not allowed. Allowed: `interpolate`"),
        ("metadata=keep", "\"metadata=keep\" is not supported"),
        ("width=auto", "\"width=auto\" is not supported"),
        ("trim.border.keep=3", "\"trim.border.keep\" is not supported"),
        ("trim=0;0.5;0;30", "\"trim\" is not supported"),
        ("fit=fill", "\"fit\" is not allowed. Allowed: `scale-down`, `contain`"),
        ("width=0", "\"width\" is not allowed. Allowed: 1…16384"),
        ("width=-1", "\"width\""), ("width=50%25", "\"width\""), ("width=8.5", "\"width\""),
        ("width=16385", "\"width\""), ("height=99999999999999999999", "\"height\""),
        ("dpr=0", "\"dpr\" is not allowed. Allowed: 0.1…8"),
        ("dpr=9", "\"dpr\""), ("quality=0", "\"quality\""), ("quality=101", "\"quality\""),
        ("quality=best", "`medium-high`"),
        ("scq=x,w=1", "\"slow-connection-quality\""), ("format=gif", "\"format\""),
        ("format=svg", "\"format\""),
        ("rotate=45", "\"rotate\" is not allowed. Allowed: `0`, `90`"), ("flip=vh", "\"flip\""),
        ("blur=0.5", "\"blur\" is not allowed. Allowed: 0 or 1…250"),
        ("blur=251", "\"blur\""), ("sharpen=11", "\"sharpen\""), ("contrast=8", "\"contrast\""),
        ("contrast=-1", "\"contrast\""),
        ("gamma=11", "\"gamma\""), ("brightness=nan", "\"brightness\""), ("saturation=1e3", "\"saturation\""),
        ("background=12345", "\"background\" is not allowed. Allowed: a name of CSS, `%23RRGGBB`"),
        ("background=fff", "\"background\""),
        ("background=rgb(1,2", "no option \"2\""), ("background=rgb(1,2),3", "no option \"3\""),
        ("background=rgb(1%2C2)", "\"background\""), ("gravity=1.1x0", "\"gravity\""),
        ("gravity=0x", "\"gravity\""), ("gravity=north", "\"gravity\""),
        ("trim=1;2;3", "\"trim\" is not allowed. Allowed: `border`"), ("trim=1;2;3;x", "\"trim\""),
        ("trim=1;2;3;-4", "\"trim\""),
        ("trim=0;0.5;0;0.5,w=8", "\"trim\""), ("trim.left=1.5", "\"trim.left\""),
        ("trim.border.tolerance=256", "\"trim.border.tolerance\""),
        ("trim.left=99999999", "\"trim.left\""),
        ("trim=border,trim.left=4", "\"trim\" is given more than once"),
        ("trim=1;2;3;4,trim.top=4", "\"trim.top\" is given more than once"),
        ("trim.right=4,trim.width=4", "\"trim.width\" is given more than once"),
        ("anim=maybe", "\"anim\""),
        ("onerror=https:%2F%2Fevil.example", "\"onerror\" is not allowed. Allowed: `redirect`"),
        ("compression=slow", "\"compression\""), ("zoom=2", "\"zoom\""),
        ("w=8,width=9", "\"width\" is given more than once"),
        ("w=8,w=8", "\"w\" is given more than once"),
        ("url=https:%2F%2Fb.example,w=8", "\"url\" is given more than once"),
        ("url,w=8", "\"url\" is given more than once"), ("url=,w=8", "\"url\" is given more than once"),
        ("preset=thumb", "no option \"preset\". Options are anim, background"), ("W=8", "no option \"W\""),
        ("wm=logo", "no option \"wm\""),
        ("w=8%00", "control character"), ("w=8%FF", "UTF-8"),
    ]

    @Test(arguments: refused)
    func `what cannot be had is named in one sentence`(options: String, words: String) {
        let message = cloudflareRefusal { try read(cloudflareOptions: options) }
        #expect(message?.contains(words) == true, "\(message ?? "another error")")
    }

    @Test func `options that Cloudflare does not have are passed over where the settings say so`() throws {
        var settings = Settings.Cloudflare()
        (settings.enabled, settings.otherOptions) = (true, "ignore-unknown")
        let dialect = try CloudflareDialect(settings, .empty)
        func read(_ options: String) throws -> ImageRequest {
            let target = try RequestTarget("/cdn-cgi/image/\(options)/https://a.example/b.jpg".utf8)
            return try dialect.read(dialect.plain(target))
        }
        let plain = try read("w=80").recipe
        for options in ["w=80,plain=false", "plain=,w=80,plain=1", "w=80,animate=true,W=9,=,trim.x=4"] {
            #expect(try read(options).recipe == plain, "\(options)")
        }
        for (options, words) in [
            ("w=80,segment=foreground", "\"segment\" is not supported"), ("w=0,plain=false", "\"width\""),
            ("w=8,w=9", "more than once"), ("w=80,plain", "no option \"plain\""),
        ] {
            #expect(cloudflareRefusal { try read(options) }?.contains(words) == true, "\(options)")
        }
    }

    @Test func `a long name is cut in its refusal`() throws {
        let message = try #require(
            cloudflareRefusal { try read(cloudflareOptions: String(repeating: "x", count: 999)) })
        #expect(message.contains(String(repeating: "x", count: 40)) && message.utf8.count < 700)
    }

    @Test func `contrast keeps the slope in the middle, both ways`() {
        for steps in 1...93 {
            let quarter = 0.075 * Double(steps)
            // tanh by its definition.
            var power = 1.0
            var term = 1.0
            for n in 1...60 {
                term *= 2 * quarter / Double(n)
                power += term
            }
            let slope = quarter * (power + 1) / (power - 1)
            #expect(ContrastSlope.steps(slope) == steps)
            #expect(ContrastSlope.steps(1 / slope) == -steps)
        }
    }

    @Test func `the ladder of widths counts here too`() throws {
        let vocabulary = try Vocabulary(presets: [], watermarks: [], ladder: WidthLadder([64, 320]))
        let dialect = try cloudflare(vocabulary)
        let sent = try RequestTarget("/cdn-cgi/image/w=100,h=50,fit=cover/https://a.example/b".utf8)
        let recipe = try dialect.read(dialect.plain(sent)).recipe
        #expect(recipe.width == .pixels(320) && recipe.height == .pixels(160))
    }
}
