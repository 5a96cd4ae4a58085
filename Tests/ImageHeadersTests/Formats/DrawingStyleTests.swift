// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite("A drawing is as large as librsvg draws it") struct DrawingStyleTests {
    private static let box = "viewBox=\"0 0 30 20\""

    private func size(_ attributes: String, _ content: String = "") throws -> PixelSize {
        let header = try ImageHeader.parse(Array("<svg \(attributes)>\(content)</svg>".utf8))
        return PixelSize(width: header.width, height: header.height)
    }

    @Test(arguments: [
        ("width=\"100\" height=\"50\" style=\"width:200px;height:140px\"", 200, 140),
        ("width=\"100\" height=\"50\" style=\"width:60px\"", 60, 50),
        ("\(box) style=\"width:200px\"", 200, 133), ("\(box) style=\" height : 200px ;\"", 300, 200),
        ("style=\"width:1in;height:90\"", 72, 90),
        ("\(box) width=\"90\" style=\"width:100%;height:auto\"", 30, 20),
        ("width=\"9\" height=\"9\" style=\"width:300px;width:10px\"", 10, 9),
        ("width=\"9\" height=\"9\" style=\"width:300px!important;width:10px\"", 300, 9),
        ("width=\"9\" height=\"9\" style=\"width:300px;width:foo;height:-5px\"", 300, 9),
        ("width=\"9\" height=\"9\" style=\"/*;*/width:300px;/*height:1px\"", 300, 9),
        ("width=\"9\" height=\"9\" style=\"max-width:10px;stroke-width:5;font-family:&quot;A&quot;\"", 9, 9),
    ])
    func `its own style comes before its attributes`(attributes: String, width: Int, height: Int) throws {
        #expect(try size(attributes) == PixelSize(width: width, height: height), "\(attributes)")
    }

    @Test(arguments: [
        ("\(box) width=\"1em\" height=\"1em\"", 12, 12), ("\(box) width=\"2ex\" height=\"2EX\"", 12, 12),
        ("\(box) width=\"2em\" font-size=\"40\"", 80, 53),
        ("\(box) width=\"2em\" font-size=\"40\" style=\"font-size:2em\"", 48, 32),
        ("width=\"5\" height=\"5\" style=\"width:1em;height:1em;font-size:100px\"", 100, 100),
        ("\(box) width=\"2em\" style=\"font:20px serif\"", 0, 0),
        ("\(box) width=\"2em\" font-size=\"large\"", 0, 0),
        // The result depends on librsvg's version.
        ("\(box) width=\"2ch\"", 0, 0),
    ])
    func `units of a font are those of its root element`(attributes: String, width: Int, height: Int) throws {
        #expect(try size(attributes) == PixelSize(width: width, height: height), "\(attributes)")
    }

    @Test(arguments: [
        "width=\"100q\" height=\"100Q\"", "width=\"100 px\"", "width=\"100e\"", "width=\"100pxx\"",
        "width=\"1.\"",
        "width=\"2rem\"", "width=\"calc(1px + 2px)\"", "width=\"-5\" height=\"50%\"", "style=\"width:100q\"",
    ])
    func `what librsvg takes for no length is none`(attributes: String) throws {
        #expect(try size("\(Self.box) \(attributes)") == PixelSize(width: 30, height: 20), "\(attributes)")
    }

    @Test(arguments: [
        "svg{width:100px}", "*{height:70px}", "a,svg{width:9px}", "#r{width:100px}", ".c{fill:red;width:1px}",
        "svg.d#r{ width : 9px}", "/*x*/svg{/*y*/width:9px}", ":root{width:9px}", "<![CDATA[svg{width:9px}]]>",
        "g{fill:red}svg{width:9px}", "@media all{svg{width:9px}}", "@import url(data:text/css,svg)",
        "@charset 'x';svg{width:9px}", "s|svg{width:9px}", "[class~=\"c\"]{width:9px}",
        "svg[id = \"r\"]{width:9px}", "svg:not(g a){width:9px}", "svg:nth-child(2n + 1){height:9px}",
        "<!--x</style>--> svg{width:9px}", "<![CDATA[/* </g> */svg{width:9px}]]>",
        "<![CDATA[g{fill:red}]]>svg{width:9px}",
    ])
    func `a sheet that may set its sides leaves them to the decoder`(sheet: String) throws {
        let root = "width=\"10\" height=\"10\" id=\"r\" class=\"c d\""
        for element in ["style", "style type=\"text/css\"", "s:style"] {
            let content = "<defs/><g><\(element)>\(sheet)</\(element.prefix { $0 != " " })></g>"
            #expect(try size(root, content) == PixelSize(width: 0, height: 0), "\(content)")
        }
    }

    @Test(arguments: [
        "svg{fill:red;stroke-width:2px}", "rect{width:9px}", ".b{width:9px}", ".c.b{width:9px}",
        "#q{width:9px}",
        "g svg{width:9px}", "g>svg{width:9px}", "svg rect{height:9px}",
        "@media (max-width:9px){rect{fill:red}}",
        "", "}{;", "svg{", "/*svg{width:9px}*/", "svg{font-size:9px}",
    ])
    func `any other sheet changes nothing`(sheet: String) throws {
        let root = "width=\"10\" height=\"10\" id=\"r\" class=\"c d\""
        #expect(try size(root, "<style>\(sheet)</style>") == PixelSize(width: 10, height: 10), "\(sheet)")
        #expect(try size(root, "<style/>") == PixelSize(width: 10, height: 10))
    }

    @Test func `a sheet counts as far as it is looked at`() throws {
        let sheet = "<style>svg{width:9px}" + String(repeating: " ", count: 70_000) + "</style>"
        #expect(try size("width=\"10\" height=\"10\"", sheet) == PixelSize(width: 0, height: 0))
    }

    @Test func `a sheet that may set the font leaves units of the font to the decoder`() throws {
        let sheet = "<style>svg{font-size:100px}</style>"
        #expect(try size("\(Self.box) width=\"1em\"", sheet) == PixelSize(width: 0, height: 0))
    }
}
