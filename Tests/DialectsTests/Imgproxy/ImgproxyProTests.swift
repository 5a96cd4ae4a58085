// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import Recipes
import RequestGrammar
@testable import Settings
import Testing

private let source = "plain/https://a.example/b.jpg"

@Suite("Options of imgproxy Pro mean the native options of the same picture, where there are such")
struct ImgproxyProTests {
    /// imgproxy Pro's options, and the equivalent ones of /img.
    @Test(
        arguments: [
            ("br:51", "bri=20"), ("brightness:-255", "bri=-100"), ("br:0", ""), ("br:1/w:8", "w=8"),
            ("sa:0.5", "sat=0.5"), ("saturation:1", ""), ("co:1", ""), ("contrast:1.0/w:8", "w=8"),
            ("a:51:1:0.5", "bri=20&sat=0.5"), ("adjust:::2", "sat=2"), ("a:51/br:0", ""),
            ("dt:1:ff0000:00f", "filt=duotone&start=f00&stop=00f"), ("dt:0:ff0000", ""),
            ("duotone:1", "filt=duotone&start=000&stop=fff"), ("dt:1/dt:0", ""),
            ("bg:ff0000/bga:0", ""), ("bga:0.5", ""), ("bga:1/bg:ff0000", "bg=f00"),
            ("background_alpha:0.2/bg:ff0000", "bg=33ff0000"),
            ("s:3:4/ex:1/bg:ff0000/bga:0.2", "w=3&h=4&fit=contain&bg=33ff0000"),
            ("pd:5/bg:ff0000/bga:0.2", "pad=5&bg=33ff0000"),
            ("pg:2", "page=2"), ("page:0/maf:9", "n=9"), ("maf:9/da:1", ""), ("da:1/pg:2/maf:9", "page=2"),
            ("da:1/disable_animation:0/maf:9", "n=9"), ("ra:lanczos3", ""),
            ("wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc/wm:0.5", "wm=https://a.example/w.png&wmp=center&wmo=0.5"),
            ("wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc", ""),
            ("wm:1/wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc=/watermark_url:", "wm=logo&wmp=center"),
        ] as [(String, String)])
    func `an option is what the native one is`(options: String, native: String) throws {
        let request = try read(imgproxy: "/_/\(options)/\(source)") { $0.imgproxy.watermark = "logo" }
        let words = try Vocabulary(presets: [], watermarks: ["logo"])
        let expected = try ImageRequest.parse(
            query: "url=https://a.example/b.jpg&\(native)&metadata=copyright", vocabulary: words)
        #expect(request.recipe.canonical == expected.recipe.canonical)
        #expect(request.recipe == request.recipe.canonicalised)
    }

    @Test func `a contrast is the sigmoid that is as steep in the middle`() throws {
        for (option, range) in [("co:1.5", 1...100), ("contrast:0.5", -100 ... -1)] {
            #expect(range.contains(try read(imgproxy: "/_/\(option)/\(source)").recipe.contrast), "\(option)")
        }
    }

    @Test func `a watermark by its URL needs none of the settings`() throws {
        let target = "/_/wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc/wm:1/\(source)"
        #expect(try read(imgproxy: target).recipe.watermark?.source == "https://a.example/w.png")
    }

    @Test(
        arguments: [
            ("https://a.example", true), ("https://a.example/", true), ("https://a.exam", false),
            ("https://b.example/", false), ("s3://media/", false),
        ])
    func `where there is a base, a watermark comes from there as pictures do`(base: String, isOpen: Bool)
        throws
    {
        let change = { (settings: inout Settings) in settings.imgproxy.baseURL = base }
        let target = "/_/wmu:aHR0cHM6Ly9hLmV4YW1wbGUvdy5wbmc/wm:1/plain/b.jpg"
        if isOpen {
            let source = try read(imgproxy: target, change).recipe.watermark?.source
            #expect(source == "https://a.example/w.png")
        } else {
            #expect(try refusal(imgproxy: target, change).contains("imgproxy.base-url"))
        }
    }

    @Test(
        arguments: [
            ("br:256", "-255…255"), ("br:0.5", "-255…255"), ("co:0", "0.15…7"), ("co:1.2:face", "a factor"),
            ("sa:-1", "0…10000"), ("a:1:1:1:1", "brightness:contrast"), ("dt:0.5", "duotone is whole"),
            ("dt:2", "0…1"), ("dt:1:red", "hexadecimal"), ("bga:2", "0…1"), ("pg:-1", "0…100000"),
            ("pg:1/maf:9", "disable_animation"), ("ra:cubic", "Lanczos"), ("ra:", "Lanczos"),
            ("wmu:aaaa", "an http or https URL"), ("wmu:!!", "an http or https URL"),
            ("wmu:czM6Ly9hL2I", "an http or https URL"),
        ] as [(String, String)])
    func `what cannot be done is refused by name`(options: String, words: String) throws {
        let message = try refusal(imgproxy: "/_/\(options)/\(source)")
        #expect(message.contains(words), "\(message)")
    }
}
