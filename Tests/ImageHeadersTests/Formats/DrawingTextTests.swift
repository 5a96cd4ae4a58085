// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite("A drawing is told by its root element, and its size by what that says")
struct DrawingTextTests {
    private static func header(_ text: String) throws -> ImageHeader {
        try ImageHeader.parse(Array(text.utf8))
    }

    private static func expect(_ text: String, _ width: Int, _ height: Int) throws {
        let header = try header(text)
        #expect(header.format == .svg && header.hasAlpha)
        #expect((header.width, header.height) == (width, height), "\(text)")
    }

    /// At 72 pixels an inch, as librsvg draws.
    @Test(arguments: [
        ("30", 30), ("30px", 30), ("30pt", 30), ("2pc", 24), ("2in", 144), ("100cm", 2835), ("10cm", 283),
        ("254mm", 720), ("10mm", 28), ("30PX", 30), ("2IN", 144), (" 30", 30), ("30 ", 30),
        ("\n30px\n", 30), ("+30", 30), ("1.5e1", 15), ("1.5E1px", 15),
        ("300e-1", 30), ("30.4", 30), ("30.5", 31), ("0.6", 1), (".5", 1), ("1e1in", 720),
    ])
    func `a length has one of six units, or none`(length: String, pixels: Int) throws {
        try Self.expect("<svg width=\"\(length)\" height=\"7\"/>", pixels, 7)
        try Self.expect("<svg height=\"\(length)\" width=\"7\"/>", 7, pixels)
    }

    /// Lengths that depend on a window, and texts that are no lengths. Units of the font are in
    /// `DrawingStyleTests`.
    @Test(arguments: [
        "100%", "40Q", "30 px", "2rem", "50vw", "auto", "", " ", "px", "30x", "30pxx", "3 0",
        "-30", "e", "--1", "1..5", "٣٠", "inf", "nan", "0x10",
    ])
    func `any other length leaves the size to the view box`(length: String) throws {
        try Self.expect("<svg width=\"\(length)\" height=\"10\" viewBox=\"0 0 30 20\"/>", 15, 10)
        try Self.expect("<svg width=\"15\" height=\"\(length)\" viewBox=\"0 0 30 20\"/>", 15, 10)
        try Self.expect("<svg width=\"\(length)\" height=\"\(length)\" viewBox=\"0 0 30 20\"/>", 30, 20)
        try Self.expect("<svg width=\"\(length)\" height=\"10\"/>", 0, 0)
        try Self.expect("<svg width=\"15\" height=\"\(length)\"/>", 0, 0)
    }

    @Test(arguments: [
        ("0 0 30 20", true), ("0,0,30,20", true), (" 0 , 0\n30\t20 ", true), ("-5 -7.5 30 20", true),
        ("1e3 0 3e1 2e1", true), ("0 0 30", false), ("0 0 30 20 1", false), ("30 20", false), ("", false),
        ("0 0 0 20", false), ("0 0 30 0", false), ("0 0 -30 20", false), ("0 0 30 -20", false),
        ("0 0 30px 20", false), ("x 0 30 20", false), ("inf 0 30 20", false), ("0;0;30;20", false),
    ])
    func `a view box is four numbers, the last two above nothing`(box: String, isBox: Bool) throws {
        try Self.expect("<svg viewBox=\"\(box)\"/>", isBox ? 30 : 0, isBox ? 20 : 0)
        try Self.expect("<svg viewBox=\"\(box)\" width=\"60\"/>", isBox ? 60 : 0, isBox ? 40 : 0)
        try Self.expect("<svg viewBox=\"\(box)\" height=\"60\"/>", isBox ? 90 : 0, isBox ? 60 : 0)
        // Two lengths need no viewBox.
        try Self.expect("<svg viewBox=\"\(box)\" width=\"5\" height=\"6\"/>", 5, 6)
    }

    @Test(arguments: [
        "<svg width='30' height='20'>", "<svg\twidth\n=\r\n'30'  height = \"20\" />",
        "<svg width=\"30\"height=\"20\">", "<svg id='a>b/c=d \"e\"' width='30' height='20'>",
        "<svg height='20' width='30' viewBox='0 0 1 1'>", "<svg width='99' width='30' height='20'>",
        "<svg xmlns:x='y' x:width='9' width='30' height='20'>", "<svg width='30' height='20' broken",
        "<svg width='30' height='20' a=b viewBox='0 0 1 1'>", "<svg width='30' height='20'><g width='9'/>",
    ])
    func `attributes are read as XML has them`(text: String) throws {
        try Self.expect(text, 30, 20)
    }

    @Test(arguments: [
        "<svg>", "<svg/>", "<svg >", "<svg width=30 height=20>", "<svg a width='30' height='20'>",
        "<svg><g width='30' height='20'/></svg>", "<svg/ width='30' height='20'>",
        "<svg ='1' width='30' height='20'>", "<svg WIDTH='30' HEIGHT='20'>", "<svg width='30' height=",
        "<svg width='30' height", "<svg width='30'", "<svg width=`30` height=`20`>",
    ])
    func `what is no attribute ends the list`(text: String) throws { try Self.expect(text, 0, 0) }

    @Test(arguments: [
        "<?xml version='1.0'?>", "\u{FEFF}", "\u{FEFF}<?xml version='1.0'?>\r\n", " \t\r\n", "<!---->",
        "<!-- <svg width='1'> > -- -->", "<!DOCTYPE svg>", "<!doctype svg PUBLIC 'a' 'b'>",
        "<!DOCTYPE svg [ <!ENTITY a '>'> <!ENTITY b \"c\"> ]>",
        "<?a?><?b?>\n<!--c--><!--d-->\n<!DOCTYPE e>\n",
        "<!DOCTYPE svg [ [ ] > ]>",
    ])
    func `what may stand before the root is passed over`(prolog: String) throws {
        try Self.expect(prolog + "<svg width='30' height='20'/>", 30, 20)
        try Self.expect(prolog + "<s:svg width='30' height='20'/>", 30, 20)
    }

    @Test(arguments: [
        "svg width='30'>", "<svgx>", "<SVG>", "<html><svg width='30' height='20'/>", "<xsvg>", "<svg:x>",
        "<svg", "<svg!>", "< svg>", "<?xml <svg>", "<!-- <svg width='30' height='20'/>", "<!--> <svg>",
        "<!DOCTYPE svg [ > <svg>", "<!DOCTYPE", "<!ELEMENT svg><svg>", "x<svg>", "\u{FEFF}\u{FEFF}<svg>", "",
        "<", "<?", "<!--", "<!---",
    ])
    func `another root is no drawing`(text: String) {
        #expect(throws: ImageHeaderError.notAnImage) { try Self.header(text) }
    }

    @Test func `attributes are looked for in the first 64 KiB`() throws {
        func drawing(_ length: Int) -> String {
            let start = "<svg id='"
            let end = "' width='30' height='20'"
            let filler = String(repeating: "x", count: length - start.utf8.count - end.utf8.count)
            return start + filler + end + "/>"
        }
        try Self.expect(drawing(65_536), 30, 20)
        try Self.expect(drawing(65_600), 0, 0)
    }
}
