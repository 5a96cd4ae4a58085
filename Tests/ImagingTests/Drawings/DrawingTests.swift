// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private func svg(_ attributes: String, _ content: String) -> [UInt8] {
    Array(
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' \(attributes)>\(content)</svg>"
            .utf8)
}

/// The left half is red, the right half transparent, with an edge that is sharp at any size.
private let half = svg(
    "width='20' height='10' viewBox='0 0 20 10'", "<rect width='10' height='10' fill='#f00'/>")

@Suite struct DrawingTests {
    @Test(arguments: [("", 20, 10), ("w=200&we=0", 200, 100), ("w=1000&we=0", 1000, 500), ("h=5", 10, 5)])
    func `a drawing is made in the size that is wanted`(query: String, width: Int, height: Int) throws {
        let made = try TestRenderer.shown(half, query)
        #expect(made.size == PixelSize(width: width, height: height))
        // At most one column is mixed, so nothing was enlarged.
        let mixed = (0..<width).filter { made[$0, height / 2][3] > 5 && made[$0, height / 2][3] < 250 }
        #expect(mixed.count <= 1)
        #expect(made[1, 1] == [255, 0, 0, 255] && made[width - 2, 1] == [0, 0, 0, 0])
    }

    @Test(arguments: ["", "width='100%' height='100%'", "style='fill:#f00'"])
    func `what tells no frame is shown whole in any size`(attributes: String) throws {
        let file = svg(attributes, "<rect x='10' y='10' width='40' height='40' fill='#f00'/>")
        // libvips takes the drawn area for the drawing's size: 40 pixels, or in later versions 50 with the free
        // space before it.
        #expect(distance(try TestRenderer.shown(file, "w=20")[9, 9], [255, 0, 0, 255]) <= 2)
        let large = try TestRenderer.shown(file, "w=200&we=0")
        for place in [70, 190] { #expect(distance(large[place, place], [255, 0, 0, 255]) <= 2, "\(place)") }
        #expect(large[20, 20] == [0, 0, 0, 0])
    }

    @Test(arguments: [
        (2_950, 1_300, true), (1_000, 3_900, true), (3_050, 100, false), (2_050, 2_050, false),
    ])
    func `what tells no frame and is larger than its price has room for is not scaled`(
        width: Int, height: Int, isScaled: Bool
    ) throws {
        let halves =
            "<rect width='\(width / 2)' height='\(height)' fill='#f00'/>"
            + "<rect x='\(width / 2)' width='\(width / 2)' height='\(height)' fill='#00f'/>"
        let made = try TestRenderer.shown(svg("", halves), "w=20")
        #expect(made.size.width == 20)
        let right: [UInt8] = isScaled ? [0, 0, 255, 255] : [255, 0, 0, 255]
        #expect(distance(made[18, made.size.height / 2], right) <= 2)
    }

    @Test(arguments: [
        "width='20' height='10'", "style='width:20px;height:10px'", "width='20px' height='10pt'",
    ])
    func `both sides are a frame`(attributes: String) throws {
        let made = try TestRenderer.shown(
            svg(attributes, "<rect width='10' height='10' fill='#f00'/>"), "w=200&we=0")
        #expect(made.size == PixelSize(width: 200, height: 100))
        let mixed = (0..<200).filter { made[$0, 50][3] > 5 && made[$0, 50][3] < 250 }
        #expect(mixed.count <= 1 && made[95, 95] == [255, 0, 0, 255] && made[105, 95] == [0, 0, 0, 0])
    }

    @Test(arguments: ["<feDropShadow dx='1'/>", "<feDropShadow in='SourceGraphic'><animate/></feDropShadow>"])
    func `what has a shadow is drawn, whether librsvg knows shadows or not`(shadow: String) throws {
        let filtered = "<rect width='10' height='10' fill='#f00' filter='url(#f)'/>"
        let file = svg("width='20' height='10'", "<filter id='f'>\(shadow)</filter>" + filtered)
        #expect(try TestRenderer.shown(file, "")[5, 5] == [255, 0, 0, 255])
    }

    @Test func `only elements are taken for shadows`() {
        let drawing = Array(
            "<a feDropShadow='feDropShadow'><x:feDropShadow/><feDropShadow></feDropShadow>".utf8)
        let places = drawing.withUnsafeBytes { DropShadow.places(in: $0) }
        #expect(places == [34, 49, 64])
        for text in ["", "D", "<feDropShado"] {
            #expect(Array(text.utf8).withUnsafeBytes { DropShadow.places(in: $0) }.isEmpty, "\(text)")
        }
        var amended = drawing
        amended.withUnsafeMutableBytes { DropShadow.leaveOut(places + [-1, drawing.count - 11], of: $0) }
        let wanted = "<a feDropShadow='feDropShadow'><x:feMorphology/><feMorphology></feMorphology>"
        #expect(String(decoding: amended, as: UTF8.self) == wanted)
    }

    @Test func `fill and cover are made of a drawing that is large enough`() throws {
        #expect(
            try TestRenderer.shown(half, "w=100&h=100&fit=fill&we=0").size
                == PixelSize(width: 100, height: 100))
        let cover = try TestRenderer.shown(half, "w=100&h=100&fit=cover&we=0")
        #expect(cover.size == PixelSize(width: 100, height: 100))
        #expect(cover[25, 50] == [255, 0, 0, 255] && cover[75, 50][3] == 0)
    }

    @Test(arguments: [
        ("width='3in' height='36pt'", 216, 36), ("viewBox='0 0 30 20'", 30, 20),
        ("width='60' viewBox='0,0,30,20'", 60, 40),
        ("width='100%' height='100%' viewBox='0 0 7 9'", 7, 9), ("height='10mm' width=\"2.54cm\"", 72, 28),
        ("width='100' height='50' style='width:200px;height:140px'", 200, 140),
        ("viewBox='0 0 30 20' style='width:9em'", 108, 72), ("viewBox='0 0 30 20' width='90Q'", 30, 20),
        ("", 0, 0),
        ("width='0' height='-3'", 0, 0), ("width='1e9' height='1e30'", 1_000_000_000, 2_147_483_647),
    ])
    func `the header tells the size, and the decoder agrees`(attributes: String, width: Int, height: Int)
        throws
    {
        let file = svg(attributes, "<rect width='5' height='5'/>")
        let header = try ImageHeader.parse(file)
        #expect((header.format, header.width, header.height) == (.svg, width, height))
        guard (1...1000).contains(width) else { return }
        #expect(try TestRenderer.shown(file, "").size == PixelSize(width: width, height: height))
    }

    @Test func `nothing outside the drawing is loaded`() throws {
        let path = "/tmp/pictor-drawing-\(getpid()).png"
        let secret = PNGFile.write(Canvas(10, 10, of: [0, 255, 0]))
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = write(file, secret, secret.count)
        close(file)
        defer { unlink(path) }
        for reference in ["file://\(path)", path, "http://127.0.0.1:9/x.png"] {
            let picture = svg(
                "width='10' height='10'",
                "<image xlink:href='\(reference)' href='\(reference)' width='10' height='10'/>")
            #expect(try TestRenderer.shown(picture, "")[5, 5] == [0, 0, 0, 0], "\(reference)")
        }
        let entity =
            "<?xml version='1.0'?><!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/hostname'>]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>&x;</text></svg>"
        #expect(throws: ImagingFailure.self) { try TestRenderer.shown(Array(entity.utf8), "") }
    }

    @Test func `pictures in a drawing are shown, and refused where they are too large together`() throws {
        let green = PNGFile.write(Canvas(1000, 1000, of: [0, 255, 0]))
        let picture = Data(try TestRenderer.render(green, .make(.png)).bytes).base64EncodedString()
        let image = "<image width='10' height='10' xlink:href='data:image/png;base64,\(picture)'/>"
        func drawing(_ count: Int) -> [UInt8] {
            svg("width='10' height='10'", String(repeating: image, count: count))
        }
        #expect(try TestRenderer.shown(drawing(1), "")[5, 5] == [0, 255, 0, 255])
        #expect(try TestRenderer.shown(drawing(16), "")[5, 5] == [0, 255, 0, 255])
        #expect(
            try TestRenderer.failure(drawing(17), .make(.png)) == .outputTooLarge(.embeddedPixels(16_000_000))
        )
    }

    @Test func `a drawing of giant size is refused before a pixel is made`() throws {
        let giant = svg("width='10000000' height='10000000'", "<rect width='5' height='5'/>")
        for query in ["w=100", "w=50000&h=1", ""] {
            let recipe = (try? Recipe(canonical: "output=png&" + query)) ?? Recipe()
            #expect(throws: ImagingFailure.self) { try TestRenderer.render(giant, recipe) }
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }
}
