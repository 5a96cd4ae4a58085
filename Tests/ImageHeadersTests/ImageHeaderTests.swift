// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite struct ImageHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `what is no picture is told`() {
        let texts = [
            "", "G", "GIF88a", "hello", "<html><svg></svg></html>", "<?xml version='1.0'?><rss/>",
            "RIFF1234WAVE", "BMXY",
        ]
        for bytes in texts.map({ Array($0.utf8) }) + [[0xFF, 0xD8], [0, 0, 0, 0], [0x1F, 0x8B, 8, 0]] {
            #expect(throws: ImageHeaderError.notAnImage, "\(bytes)") { try ImageHeader.parse(bytes) }
        }
    }

    @Test func `compressed SVG is no picture`() {
        let bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] + Array("<svg>".utf8)
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(bytes) }
    }

    @Test(arguments: [
        "<svg>", "<svg xmlns='x'>", "  \n<svg/>", "\u{FEFF}<svg>",
        "<?xml version='1.0'?>\n<!-- <html> --><svg>",
        "<!DOCTYPE svg PUBLIC '-//W3C//DTD SVG 1.1//EN' 'x'><svg>",
        "<!doctype svg [<!ENTITY a '>'>]>\r\n<svg:svg>",
    ])
    func `SVG is recognised behind what may stand before it`(text: String) throws {
        let header = ImageHeader(format: .svg, width: 0, height: 0, hasAlpha: true)
        #expect(try ImageHeader.parse(Array(text.utf8)) == header)
    }

    @Test func `SVG in UTF-16 is recognised by its mark`() throws {
        let text = "<?xml version='1.0' encoding='UTF-16'?><!-- é 圓 --><svg width='30' height='20'/>"
        let units = Array(text.utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        let header = ImageHeader(format: .svg, width: 30, height: 20, hasAlpha: true)
        for file in [little, big, little + [0x20]] { #expect(try ImageHeader.parse(file) == header) }
        let others: [[UInt8]] = [
            Array(little.dropFirst(2)), [0xFF, 0xFE], [0xFE, 0xFF, 0], [0xFF, 0xFE] + Array("<svg>".utf8),
        ]
        for other in others {
            #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(other) }
        }
    }

    @Test(arguments: ["<svgx>", "<svg", "<!-- <svg>", "<?xml <svg>", "<x:svgs>", "x<svg>"])
    func `what only contains the letters is no SVG`(text: String) {
        #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(Array(text.utf8)) }
    }

    @Test func `JPEG XL and PDF are recognised`() throws {
        #expect(try ImageHeader.parse([0xFF, 0x0A, 0x41, 2]).format == .jxl)
        #expect(try ImageHeader.parse(Array("%PDF-1.7".utf8)).format == .pdf)
    }

    @Test func `a PDF begins within 1,024 bytes, whatever is before it`() throws {
        let pdf = Array("%PDF-1.7".utf8)
        for count in [1, 100, 1_023] {
            for filler: UInt8 in [0, 0x0A, 0x25] {
                let before = [UInt8](repeating: filler, count: count)
                #expect(try ImageHeader.parse(before + pdf).format == .pdf, "\(count) of \(filler)")
            }
        }
        let others: [[UInt8]] = [[UInt8](repeating: 0x0A, count: 1_024) + pdf, [0x0A] + pdf.prefix(4)]
        for file in others {
            #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(file) }
        }
        let drawing = Array("<!-- %PDF-1.7 --><svg>".utf8)
        #expect(try ImageHeader.parse(drawing).format == .svg)
    }

    @Test func `a BMP may stand on its head or be old`() throws {
        let start = Array("BM".utf8) + [UInt8](repeating: 0, count: 12)
        let new = start + Sample.little(40, 4) + Sample.little(640, 4) + Sample.little(-480, 4)
        #expect(try ImageHeader.parse(new) == ImageHeader(format: .bmp, width: 640, height: 480))
        let old = start + Sample.little(12, 4) + Sample.little(64, 2) + Sample.little(48, 2)
        #expect(try ImageHeader.parse(old) == ImageHeader(format: .bmp, width: 64, height: 48))
    }

    @Test func `orientations from 5 on lie on their side`() {
        for orientation in 1...8 {
            let header = ImageHeader(format: .jpeg, width: 3, height: 2, orientation: orientation)
            let upright = orientation < 5 ? PixelSize(width: 3, height: 2) : PixelSize(width: 2, height: 3)
            #expect(header.upright == upright)
        }
    }
}
