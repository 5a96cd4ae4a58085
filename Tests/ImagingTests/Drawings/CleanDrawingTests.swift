// SPDX-License-Identifier: Apache-2.0

@testable import Imaging
import PixelReference
import Testing

@Suite("A drawing is passed on without what does something")
struct CleanDrawingTests {
    private static let head =
        #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#

    private func clean(file: String) throws -> String {
        let bytes = Array(file.utf8)
        return String(decoding: try bytes.withUnsafeBytes { try CleanDrawing.of($0) }, as: UTF8.self)
    }

    /// What remains of a drawing's content.
    private func clean(_ content: String) throws -> String {
        let written = try clean(file: "\(Self.head)>\(content)</svg>")
        #expect(written.hasPrefix(Self.head))
        let rest = written.dropFirst(Self.head.count)
        return rest == "/>" ? "" : String(rest.dropFirst().dropLast("</svg>".count))
    }

    private func refusal(_ file: String) -> CleanDrawing.Refusal? {
        do {
            _ = try clean(file: file)
            return nil
        } catch { return error as? CleanDrawing.Refusal }
    }

    @Test(arguments: [
        ##"<rect x="1" y="2" width="5%" height="6" rx="1" fill="#abc"/>"##,
        #"<path d="M0 0L1-1e3Z" stroke="rgb(1, 2, 3)" stroke-width=".5" stroke-dasharray="1 2"/>"#,
        #"<g transform="translate(1 2) rotate(3)"><circle r="2" opacity="0.5"/></g>"#,
        #"<linearGradient id="a" gradientUnits="userSpaceOnUse"><stop offset="50%" stop-color="red"/></linearGradient>"#,
        #"<rect fill="url(#a)" filter="url(#b)" clip-path="url(#c)"/>"#, ##"<use href="#a" x="3"/>"##,
        ##"<use xlink:href="#a"/>"##,
        #"<text x="1" font-family="Arial, sans-serif">a &amp; b <tspan>c</tspan></text>"#,
        #"<title>Ein Kreis — é 圓</title><desc>it&#39;s</desc>"#,
        #"<style>.a{fill:#fff;stroke:url(#b)}g &gt; b{opacity:.5}</style>"#,
        #"<g style="fill:red;font-weight:bold"/>"#,
        #"<image href="data:image/png;base64,iVBORw0KGgo=" width="1"/>"#,
        #"<animate attributeName="cx" values="1;2" dur="1s" repeatCount="indefinite"/>"#,
        #"<animateTransform attributeName="transform" type="rotate" from="0 1 1" to="360 1 1" dur="2s"/>"#,
        #"<filter id="b"><feGaussianBlur in="SourceGraphic" stdDeviation="2"/></filter>"#,
        #"<text xml:space="preserve" xml:lang="de">a  b</text>"#, #"<a><path d="M0 0"/></a>"#,
    ])
    func `what draws stays as it is`(content: String) throws {
        #expect(try clean(content) == content)
    }

    private static let unsafe: [(String, String)] = [
        ("<script>alert(1)</script>", ""), ("<script href='#a'/>", ""),
        ("<script xlink:href='https://e.example/x.js'/>", ""), ("<SCRIPT>alert(1)</SCRIPT>", ""),
        ("<g onload='alert(1)' onclick='alert(1)'/>", "<g/>"), ("<g ONLOAD='alert(1)'/>", "<g/>"),
        ("<h:script xmlns:h='http://www.w3.org/1999/xhtml'>alert(1)</h:script>", ""),
        ("<h:img xmlns:h='http://www.w3.org/1999/xhtml' src='x' onerror='alert(1)'/>", ""),
        ("<g xmlns:ev='http://www.w3.org/2001/xml-events' ev:event='load'/>", "<g/>"),
        ("<handler xmlns='http://www.w3.org/2000/svg' type='x'>alert(1)</handler>", ""),
        ("<foreignObject><body xmlns='http://www.w3.org/1999/xhtml' onload='alert(1)'/></foreignObject>", ""),
        ("<switch><foreignObject><g/></foreignObject><g id='b'/></switch>", #"<switch><g id="b"/></switch>"#),
        ("<a xlink:href='javascript:alert(1)'><g/></a>", "<a><g/></a>"),
        ("<a href=' java&#10;script:alert(1)'/>", "<a/>"), ("<a href='https://e.example/'/>", "<a/>"),
        ("<a href='//e.example/' target='_top'/>", "<a/>"), ("<a href='?x'/>", "<a/>"),
        ("<a href='data:text/html,alert(1)'/>", "<a/>"),
        (
            "<a href='#a'><animate attributeName='href' values='javascript:alert(1)'/></a>",
            ##"<a href="#a"/>"##
        ),
        ("<a><set attributeName='xlink:href' to='javascript:alert(1)'/></a>", "<a/>"),
        ("<set attributeName='onmouseover' to='alert(1)'/>", ""),
        ("<set attributeName='style' to='fill:red'/>", ""), ("<animate to='1'/>", ""),
        ("<set attributeName='fill' to='url(https://e.example/)'/>", #"<set attributeName="fill"/>"#),
        (
            "<animate attributeName='fill' values='red;url(//e.example)'/>",
            #"<animate attributeName="fill"/>"#
        ),
        ("<use href='https://e.example/a.svg#a'/>", "<use/>"), ("<use href='a.svg#a'/>", "<use/>"),
        ("<use href='data:image/svg+xml;base64,PHN2Zz4=#a'/>", "<use/>"),
        ("<use href='data:image/png;base64,AAAA'/>", "<use/>"),
        ("<image href='https://e.example/a.png'/>", "<image/>"), ("<image href='a.png'/>", "<image/>"),
        ("<image href='data:image/svg+xml;base64,PHN2Zz4='/>", "<image/>"),
        ("<image href='data:image/png,x'/>", "<image/>"),
        ("<image href='data:image/png;base64,AA&lt;A'/>", "<image/>"),
        ("<image href='data:image/PNG;base64,AA\n AA'/>", #"<image href="data:image/PNG;base64,AAAA"/>"#),
        ("<feImage href='https://e.example/a.png'/>", "<feImage/>"),
        ("<image src='https://e.example/a.png' srcset='b.png 2x'/>", "<image/>"),
        ("<g fill='url(https://e.example/a.svg#b)'/>", "<g/>"), ("<g fill='url(a.svg#b)'/>", "<g/>"),
        ("<g filter='url(&quot;//e.example/#a&quot;)'/>", "<g/>"),
        ("<g filter='u\\72l(https://e.example/)'/>", "<g/>"), ("<g cursor='url(#a),auto'/>", "<g/>"),
        ("<g fill='image-set(&quot;//e.example/a&quot; 1x)'/>", "<g/>"), ("<g fill='/**/red'/>", "<g/>"),
        ("<g fill='red)'/>", "<g/>"), ("<g fill='rgb(1'/>", "<g/>"), ("<g fill='var(--a)'/>", "<g/>"),
        ("<g style='fill:red;background:url(//e.example);behavior:url(#x)'/>", #"<g style="fill:red"/>"#),
        ("<g style='position:fixed;top:0;--x:1;stroke:red'/>", #"<g style="stroke:red"/>"#),
        ("<g style='width:expression(alert(1))'/>", "<g/>"), ("<g style='-moz-binding:url(#x)'/>", "<g/>"),
        ("<g style='fill:url(&quot;//e.example&quot;)'/>", "<g/>"), ("<g style='fi\\6cl:red'/>", "<g/>"),
        ("<style>@import '//e.example/a.css';.a{fill:red}</style>", "<style>.a{fill:red}</style>"),
        ("<style>@import url(//e.example)</style>", "<style/>"),
        (
            "<style>@font-face{font-family:x;src:url(//e.example)}b{fill:red}</style>",
            "<style>b{fill:red}</style>"
        ),
        ("<style>@media print{.a{fill:red}}.b{fill:red}</style>", "<style>.b{fill:red}</style>"),
        ("<style>@keyframes a{from{fill:red}}</style>", "<style/>"),
        ("<style>a[href^=x]{fill:red} .b{fill:red;}</style>", "<style>.b{fill:red}</style>"),
        (
            "<style><![CDATA[</style><script>alert(1)</script>{fill:red} .b{fill:red}]]></style>",
            "<style>.b{fill:red}</style>"
        ),
        ("<style>.b{fill:red}<script>alert(1)</script></style>", "<style>.b{fill:red}</style>"),
        ("<style><![CDATA[.a{font-family:'</style><script>alert(1)</script>'}]]></style>", "<style/>"),
        (
            "<style>.a{background:url(//e.example)}/* .b{ */.c{fill:/*x*/red}</style>",
            "<style>.c{fill:red}</style>"
        ),
        (
            "<title><![CDATA[</title><script>alert(1)</script>]]></title>",
            "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>"
        ),
        ("<title><style><![CDATA[</title><img src=x onerror=alert(1)>]]></style></title>", "<title/>"),
        ("<desc><g/>a</desc>", "<desc>a</desc>"), ("<metadata><g/></metadata>", ""),
        ("<g>alert(1)</g>", "<g/>"),
        ("<g id='&quot;&gt;&lt;script&gt;'/>", #"<g id="&quot;&gt;&lt;script&gt;"/>"#),
        ("<!-- <script>alert(1)</script> --><g/>", "<g/>"),
        ("<?xml-stylesheet href='//e.example'?><g/>", "<g/>"),
        ("<g xml:base='https://e.example/'/>", "<g/>"), ("<g data-a='1' tabindex='1'/>", "<g/>"),
        ("<video src='//e.example'/><audio/><iframe/><embed/><object/><link/><meta/><base/>", ""),
        (
            "<color-profile href='//e.example'/><font-face-uri href='//e.example'/><tref href='//e.example'/>",
            ""
        ),
        ("<mpath xlink:href='https://e.example/#a'/>", "<mpath/>"),
        ("<pattern href='https://e.example/#a'/>", "<pattern/>"),
    ]

    @Test(arguments: unsafe)
    func `what does something or leads outside is left out`(content: String, left: String) throws {
        #expect(try clean(content) == left)
        #expect(try clean(left) == left)
    }

    @Test func `the document type, comments and instructions go`() throws {
        let file = """
            <?xml version="1.0" encoding="ISO-8859-1"?><?xml-stylesheet href="//e.example"?>
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
            <!-- x --><svg xmlns="http://www.w3.org/2000/svg" width="3"/><!-- y -->
            """
        #expect(try clean(file: file) == "\(Self.head) width=\"3\"/>")
        #expect(
            try clean(file: "<s:svg xmlns:s='http://www.w3.org/2000/svg'><s:g/></s:svg>")
                == "\(Self.head)><g/></svg>")
        #expect(try clean(file: "<svg><g/></svg>") == "\(Self.head)><g/></svg>")
    }

    @Test(arguments: [
        ("<!DOCTYPE svg [<!ENTITY a 'b'>]><svg>&a;</svg>", "an entity is declared"),
        ("<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><svg>&a;</svg>", "an entity is declared"),
        ("<!DOCTYPE svg [<!ENTITY % a SYSTEM '//e.example'>%a;]><svg/>", "an entity is declared"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'/>", "no SVG"),
        ("<svg xmlns='http://www.w3.org/1999/xhtml'/>", "no SVG"), ("", "no element found"),
        ("<svg><g></svg>", "mismatched tag"), ("<svg>&nbsp;</svg>", "undefined entity"),
        ("<svg a='1' a='2'/>", "duplicate attribute"),
    ])
    func `a file that is no plain XML is refused`(file: String, words: String) {
        #expect(refusal(file)?.words == words)
    }

    @Test func `parts are counted`() throws {
        func nested(_ count: Int) -> String {
            "<svg>\(String(repeating: "<g>", count: count))\(String(repeating: "</g>", count: count))</svg>"
        }
        #expect(refusal(nested(XMLReader.deepest - 1)) == nil)
        #expect(refusal(nested(XMLReader.deepest))?.words == "elements too deep")
        func row(_ count: Int) -> String { "<svg>\(String(repeating: "<g/>", count: count))</svg>" }
        #expect(refusal(row(XMLReader.mostElements - 1)) == nil)
        #expect(refusal(row(XMLReader.mostElements))?.words == "too many elements")
        let attributes = (0...XMLReader.mostAttributes).map { " a\($0)='1'" }.joined()
        #expect(refusal("<svg\(attributes)/>")?.words == "too many attributes")
        let long = String(repeating: " ", count: CleanDrawing.longest)
        #expect(refusal("<svg>\(long)</svg>")?.words == "too long")
        let growing = String(repeating: "&#60;", count: CleanDrawing.longest / 5 - 20)
        #expect(refusal("<svg><title>\(growing)</title></svg>") == nil)
        let quotes = String(repeating: "'", count: CleanDrawing.longest - 100)
        #expect(refusal("<svg><title>\(quotes)</title></svg>")?.words == "too long when it is written")
    }

    @Test func `a few copies of copies are shown, and a million are not`() {
        func laughing(_ levels: Int, _ each: Int) -> String {
            let groups = (1...levels).map { level in
                let uses = String(repeating: "<use href='#a\(level - 1)'/>", count: each)
                return "<g id='a\(level)'>\(uses)</g>"
            }
            return "<svg><g id='a0'/>\(groups.joined())</svg>"
        }
        #expect(refusal(laughing(3, 10)) == nil)
        #expect(refusal(laughing(8, 10))?.words == "too many copies")
        #expect(refusal(laughing(DrawingCopies.deepest + 2, 1)) == nil)
        #expect(refusal("<svg><g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g></svg>") == nil)
        #expect(refusal("<svg id='a'><use href='#a'/><use href='#none'/></svg>") == nil)
    }

    /// Ways to show another part, besides `use`: the element that is shown, and the attribute that shows it. Eight levels,
    /// each of which shows the one before ten times, are too many; one is not.
    @Test(arguments: [
        ("pattern", "<rect fill='url(#@)'/>"), ("pattern", "<rect stroke=' url( \"#@\" ) '/>"),
        ("pattern", "<rect style='x:y;fill:url(#@)'/>"), ("pattern", "<g fill='url(#@)'><rect/></g>"),
        ("mask", "<rect mask='url(#@)'/>"), ("clipPath", "<rect clip-path='URL(#@)'/>"),
        ("marker", "<path marker-mid='url(#@)' d='M0 0'/>"), ("marker", "<line style='marker:url(#@)'/>"),
        ("filter", "<feFlood filter='url(#@)'/>"), ("g", "<feImage href='#@'/>"),
        ("pattern", "<rect><set attributeName='fill' to='url(#@)'/></rect>"),
        ("pattern", "<rect><animate attributeName='fill' values='red;url(#@)'/></rect>"),
    ])
    func `what is shown otherwise counts as well`(element: String, shows: String) {
        func laughing(_ levels: Int) -> String {
            let parts = (1...levels).map { level in
                let shown = String(repeating: shows.replacing("@", with: "a\(level - 1)"), count: 10)
                return "<\(element) id='a\(level)'>\(shown)</\(element)>"
            }
            return
                "<svg><\(element) id='a0'><path/></\(element)>\(parts.joined())\(shows.replacing("@", with: "a\(levels)"))</svg>"
        }
        #expect(refusal(laughing(1)) == nil)
        #expect(refusal(laughing(8))?.words == "too many copies")
    }

    @Test func `a style sheet shows a part for each element that it fits`() {
        func drawing(_ selector: String, _ property: String, _ count: Int, _ element: String) -> String {
            let parts = String(repeating: "<circle/>", count: 999)
            return
                "<svg><style>\(selector){\(property):url(#p)}</style><pattern id='p'>\(parts)</pattern>\(String(repeating: element, count: count))</svg>"
        }
        for (selector, element) in [
            (".a", "<rect class='b a'/>"), ("rect", "<rect/>"), ("g>.a.b,.c", "<rect class='b'/>"),
            ("g rect", "<rect/>"), (".a", "<g class='a'><rect/></g>"),
        ] {
            #expect(refusal(drawing(selector, "fill", 50, element)) == nil, "\(selector)")
            #expect(
                refusal(drawing(selector, "fill", 300, element))?.words == "too many copies", "\(selector)")
        }
        // A selector that ends in no name may fit anything.
        #expect(refusal(drawing("rect:nth-child(2)", "fill", 300, "<g/>"))?.words == "too many copies")
        #expect(refusal(drawing(":hover", "mask", 300, "<g/>"))?.words == "too many copies")
        // No element has the class.
        #expect(refusal(drawing(".z", "fill", 5_000, "<rect class='b a'/>")) == nil)
        #expect(refusal(drawing("#z", "fill", 5_000, "<rect class='b a'/>")) == nil)
    }

    @Test func `a marker counts at each vertex, and a pattern for each element within`() {
        let parts = String(repeating: "<circle/>", count: 99)
        func path(_ count: Int) -> String {
            let points = String(repeating: "1.5,-2e1 ", count: count)
            return
                "<svg><marker id='m'>\(parts)</marker><polyline points='\(points)' marker-mid='url(#m)'/></svg>"
        }
        #expect(refusal(path(400)) == nil)
        #expect(refusal(path(2_500))?.words == "too many copies")
        func painted(_ count: Int) -> String {
            let many = String(repeating: "<rect/>", count: count)
            return
                "<svg><pattern id='p'>\(parts)</pattern><g id='g'>\(many)</g><g fill='url(#p)'><use href='#g'/></g></svg>"
        }
        #expect(refusal(painted(1_500)) == nil)
        #expect(refusal(painted(2_500))?.words == "too many copies")
    }

    @Test func `what a drawing shows within itself is counted from elsewhere`() {
        let many = String(repeating: "<rect/>", count: 1_000)
        let uses = String(repeating: "<use href='#b'/>", count: 300)
        let circle = "<g id='a'><use href='#b'/>\(many)</g><g id='b'><use href='#a'/></g>"
        #expect(refusal("<svg>\(circle)</svg>") == nil)
        #expect(refusal("<svg>\(circle)\(uses)</svg>")?.words == "too many copies")
        let few = String(repeating: "<rect/>", count: 100)
        #expect(refusal("<svg fill='url(#p)'><pattern id='p'>\(few)</pattern><rect/></svg>") == nil)
    }

    @Test func `what surrounds a pattern counts for what is in it`() {
        let parts = String(repeating: "<circle/>", count: 100)
        let shown = String(repeating: "<rect fill='url(#p)'/>", count: 50)
        func drawing(_ defs: String) -> String {
            "<svg><pattern id='q'>\(parts)</pattern><defs \(defs)><pattern id='p'>\(parts)</pattern></defs>\(shown)</svg>"
        }
        #expect(refusal(drawing("")) == nil)
        #expect(refusal(drawing("fill='url(#q)'"))?.words == "too many copies")
    }

    @Test func `references are not without number`() {
        let one = "<g mask='url(#m)' filter='url(#m)'/>"
        let many = String(repeating: one, count: DrawingCopies.mostReferences / 2)
        #expect(refusal("<svg>\(many)</svg>") == nil)
        #expect(refusal("<svg>\(many)\(one)</svg>")?.words == "too many references")
    }
}
