// SPDX-License-Identifier: Apache-2.0

import Imaging
import Recipes
@testable import RequestGrammar
import Testing

@Suite("No option is read and then forgotten")
struct OptionEffectTests {
    private typealias Example = (plain: String, changed: String)

    /// For each option of a recipe by name, two recipes: only the second has the option, or has another value. A
    /// new option needs an example here.
    private static let examples: [String: Example] = [
        "w": ("", "w=20"), "h": ("", "h=20"), "dpr": ("w=10", "w=10&dpr=2"), "we": ("w=90", "w=90&we=0"),
        "wr": ("w=20", "w=20&wr"),
        "shrinkbox": ("w=90&h=90&fit=cover", "w=90&h=90&fit=cover&shrinkbox"),
        "ar": ("w=50%25&fit=fill", "w=50%25&ar=1:1&fit=fill"),
        "zoom": ("ar=1:1&fit=cover", "ar=1:1&fit=cover&zoom=0.5"),
        "minw": ("w=10", "w=10&minw=20"), "minh": ("w=10", "w=10&minh=20"),
        "ax": ("w=20&h=20&fit=cover", "w=20&h=20&fit=cover&ax=3"),
        "ay": ("w=40&h=10&fit=cover", "w=40&h=10&fit=cover&ay=-20%25"),
        "linear": ("w=20", "w=20&linear"),
        "fit": ("w=20&h=20", "w=20&h=20&fit=fill"),
        "turnbox": ("w=20&h=40", "w=20&h=40&turnbox"),
        "a": ("w=20&h=20&fit=cover", "w=20&h=20&fit=cover&a=left"),
        "fpx": ("w=20&h=20&fit=cover&a=focal", "w=20&h=20&fit=cover&a=focal&fpx=0.1"),
        "fpy": ("w=40&h=10&fit=cover&a=focal", "w=40&h=10&fit=cover&a=focal&fpy=0.1"),
        "cx": ("", "cx=5"), "cy": ("", "cy=5"), "cw": ("", "cw=10"), "ch": ("", "ch=10"),
        "ca": ("cw=10&ch=10", "cw=10&ch=10&ca=center"),
        "precrop": ("cw=10&ch=10&w=20", "cw=10&ch=10&w=20&precrop"),
        "trim": ("", "trim=10"), "tbg": ("trim=10", "trim=10&tbg=red"),
        "mask": ("", "mask=circle"), "mtrim": ("mask=circle", "mask=circle&mtrim"),
        "mbg": ("mask=circle", "mask=circle&mbg=red"),
        "radius": ("", "radius=10"), "pad": ("", "pad=3"), "pbg": ("pad=3", "pad=3&pbg=red"),
        "pixelate": ("", "pixelate=5"),
        "ro": ("", "ro=90"), "rbg": ("ro=30", "ro=30&rbg=red"), "flip": ("", "flip"), "flop": ("", "flop"),
        "preturn": ("flip&ch=10", "flip&ch=10&preturn"),
        "bg": ("", "bg=red"), "cbg": ("w=30&h=30&fit=contain", "w=30&h=30&fit=contain&cbg=red"),
        "cblur": ("w=30&h=30&fit=contain", "w=30&h=30&fit=contain&cblur"),
        "filt": ("", "filt=negate"), "start": ("filt=duotone", "filt=duotone&start=blue"),
        "stop": ("filt=duotone", "filt=duotone&stop=blue"), "tint": ("", "tint=red"),
        "bri": ("", "bri=20"), "con": ("", "con=20"), "gam": ("", "gam=2"), "mod": ("", "mod=1.2,0.8,40"),
        "blur": ("", "blur=3"), "sharp": ("", "sharp=2"),
        "text": ("", "text=Hi&tsize=20"), "tpos": ("text=Hi&tsize=9", "text=Hi&tsize=9&tpos=left"),
        "tx": ("text=Hi&tsize=9", "text=Hi&tsize=9&tx=5"), "ty": ("text=Hi&tsize=9", "text=Hi&tsize=9&ty=5"),
        "tsize": ("text=Hi&tsize=9", "text=Hi&tsize=15"), "tcol": ("text=Hi", "text=Hi&tcol=red"),
        "talign": ("text=Hi%0Ai&tsize=9", "text=Hi%0Ai&tsize=9&talign=right"),
        "twidth": ("text=Hi%20i&tsize=9", "text=Hi%20i&tsize=9&twidth=14"),
        "tfont": ("text=Hi&tfont=sans", "text=Hi&tfont=DejaVu%20Sans%20Mono"),
        "output": ("", "output=webp"), "q": ("output=webp&q=80", "output=webp&q=20"),
        "maxbytes": ("output=webp", "output=webp&maxbytes=500"), "l": ("l=1", "l=9"), "af": ("af=0", "af"),
        "il": ("", "il"),
        "ll": ("output=webp", "output=webp&ll"),
        "page": ("", "page=1"), "n": ("output=gif", "output=gif&n=-1"),
        "loop": ("output=gif&n=-1", "output=gif&n=-1&loop=3"),
        "delay": ("output=gif&n=-1", "output=gif&n=-1&delay=500"),
    ]

    /// Options of the job beside the recipe, of descriptions, or for special originals; other tests cover them.
    private static let elsewhere: Set = [
        "wm", "wmp", "wmx", "wmy", "wms", "wmh", "wmo", "json", "profile", "svg", "metadata", "asis",
        "fq", "gainmap",
    ]

    /// Four frames of noise with a border, transparent here and there.
    private static let original: [UInt8] = {
        let (width, height) = (60, 40)
        var random = Lehmer(state: 20_261_123)
        let palette = (0..<16).map { _ in (0..<3).map { _ in UInt8(truncatingIfNeeded: random.next() >> 8) } }
        let frames = (0..<4).map { _ in
            (0..<width * height).map { place in
                let (x, y) = (place % width, place / width)
                let isBorder = x < 4 || y < 4 || x >= width - 4 || y >= height - 4
                return isBorder ? 1 : UInt8(random.next() >> 8 & 15)
            }
        }
        return GIFFile.write(
            width: width, height: height, palette: palette, frames: frames, delays: [40, 40, 40, 40], loop: 0,
            transparent: 7)
    }()

    @Test func `each has its example`() {
        let names = Set(OptionTable.canonicalOrder.map(\.name)).subtracting(Self.elsewhere)
        #expect(names.symmetricDifference(Self.examples.keys) == [])
    }

    @Test(arguments: examples.keys.sorted())
    func `a file is another with it`(option: String) throws {
        let example = try #require(Self.examples[option])
        let files = try [example.plain, example.changed].map { query in
            let query = query.contains("output=") ? query : "output=png&\(query)"
            return try TestRenderer.render(Self.original, Recipe(canonical: query)).bytes
        }
        #expect(files[0] != files[1])
    }
}
