// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import RandomInputs
import Testing

/// The pictures in a drawing are known before they are decoded.
@Suite struct SVGPictureTests {
    /// A PNG as far as its size.
    private static func png(_ width: UInt32, _ height: UInt32) -> [UInt8] {
        var file: [UInt8] = [0x89]
        file += Array("PNG\r\n\u{1A}\n".utf8)
        file += [0, 0, 0, 13]
        file += Array("IHDR".utf8)
        for side in [width, height] {
            for shift: UInt32 in [24, 16, 8, 0] { file.append(UInt8(side >> shift & 255)) }
        }
        return file + [UInt8](repeating: 0, count: 13) + Array("IDAT".utf8)
    }

    private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    private static func svg(_ images: String...) -> [UInt8] {
        let images = images.map { "<image href=\"\($0)\"/>" }.joined()
        return Array("<svg xmlns='http://www.w3.org/2000/svg'>\(images)</svg>".utf8)
    }

    private static func pixels(_ drawing: [UInt8]) -> Int { SVGPictures.pixels(in: drawing.span) }

    @Test func `pictures add up, however they are spelt`() {
        let text = Self.base64(Self.png(3000, 2000))
        let wrapped = text.enumerated().map { $0 % 20 == 19 ? "\($1)&#10; " : "\($1)" }.joined()
        let numbered = text.utf8.map { "&#x\(String($0, radix: 16));" }.joined()
        let percents = Self.png(3000, 2000).map {
            "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)
        }
        for url in [
            "data:image/png;base64,\(text)", "DATA:;charset=x;BASE64,\(text)",
            "data:image/png;base64,\(wrapped)",
            "data:image/png;base64,\(numbered)", "data:image/png,\(percents.joined())",
            "data:text/plain;base64,\(text)",
        ] {
            #expect(Self.pixels(Self.svg(url)) == 6_000_000, "\(url.prefix(40))")
            #expect(Self.pixels(Self.svg(url, "data:,x", url)) == 12_000_000, "\(url.prefix(40))")
        }
        let whole = "data:image/png;base64,\(text)"
        let units = String(decoding: Self.svg(whole), as: UTF8.self).utf16
        let wide: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
        #expect(Self.pixels(wide) == 6_000_000, "UTF-16")
        #expect(Self.pixels(Self.svg("data:image/svg+xml;base64,\(Self.base64(wide))")) == 6_000_000)
        let inner = "data:image/svg+xml;base64,\(Self.base64(Self.svg(whole)))"
        #expect(Self.pixels(Self.svg(inner, whole)) == 12_000_000)
    }

    @Test func `too many pixels are as many as can be told`() {
        let most = "data:image/png;base64,\(Self.base64(Self.png(.max >> 1, .max >> 1)))"
        #expect(Self.pixels(Self.svg(most, most, most, most)) == .max)
    }

    @Test(
        arguments: [
            [0x1F, 0x8B, 8, 0], Array("<\0?\0".utf8), Array("\0<\0?".utf8), Array("<\0\0\0".utf8),
            Array("\0\0\0<".utf8), [0x4C, 0x6F, 0xA7, 0x94],
        ] as [[UInt8]])
    func `a drawing within it that cannot be looked into counts for more than may be`(start: [UInt8]) {
        let url = "data:image/svg+xml;base64,\(Self.base64(start + Self.png(30, 20)))"
        #expect(Self.pixels(Self.svg(url)) == .max)
        // A font is no drawing.
        let font = "data:font/ttf;base64,\(Self.base64([0, 1, 0, 0] + Self.png(30, 20)))"
        #expect(Self.pixels(Self.svg(font)) == 0)
    }

    @Test func `a drawing too deep or too long to be looked through counts for more than may be`() {
        let picture = "data:image/png;base64,\(Self.base64(Self.png(30, 20)))"
        func nested(_ levels: Int) -> [UInt8] {
            (0..<levels).reduce(Self.svg(picture)) { inner, _ in
                Self.svg("data:image/svg+xml;base64,\(Self.base64(inner))")
            }
        }
        for (levels, pixels) in [(1, 600), (4, 600), (5, .max)] {
            #expect(Self.pixels(nested(levels)) == pixels, "\(levels)")
        }
        for (blanks, pixels) in [(1_000_000, 600), (1 << 20, .max)] {
            let inner = Self.svg(String(repeating: " ", count: blanks), picture)
            let url = "data:image/svg+xml;base64,\(Self.base64(inner))"
            #expect(Self.pixels(Self.svg(url)) == pixels, "\(blanks)")
        }
    }

    @Test func `what is no picture counts for nothing`() {
        for url in [
            "x.png", "data:", "data:image/png;base64", "data:image/png;base64,", "data:,&amp;", "data:,%",
            "data:,&#",
        ] {
            #expect(Self.pixels(Self.svg(url)) == 0)
            #expect(Self.pixels(Array(url.utf8)) == 0)
        }
        #expect(Self.pixels([]) == 0)
        let deep = (0..<50).reduce("data:image/png;base64,\(Self.base64(Self.png(10, 10)))") { inner, _ in
            "data:;base64,\(Self.base64(Self.svg(inner).suffix(5_000)))"
        }
        #expect(Self.pixels(Self.svg(deep)) <= 100)
    }

    @Test func `more than a thousand pictures are too many`() {
        let one = "<image href='data:;base64,\(Self.base64(Self.png(30, 20)))'/>"
        for (count, pixels) in [(1_000, 600_000), (1_001, .max)] {
            #expect(Self.pixels(Array(String(repeating: one, count: count).utf8)) == pixels)
        }
        let five = "data:;base64,\(Self.base64(Array(String(repeating: one, count: 500).utf8)))"
        #expect(Self.pixels(Self.svg(five)) == 0)
        let drawing = Self.base64(Array("<svg>\(String(repeating: one, count: 500))</svg>".utf8))
        let inner = "data:image/svg+xml;base64,\(drawing)"
        #expect(Self.pixels(Self.svg(inner)) == 300_000)
        // The drawings count as pictures too.
        #expect(Self.pixels(Self.svg(inner, inner)) == .max)
    }

    @Test func `beyond a limit nothing is counted`() {
        let one = "data:;base64,\(Self.base64(Self.png(30, 20)))"
        let drawing = Self.svg(one, one, one)
        for (limit, pixels) in [(599, 600), (600, 1_200), (1_800, 1_800)] {
            #expect(SVGPictures.pixels(in: drawing.span, upTo: limit) == pixels)
        }
    }

    @Test(.timeLimit(.minutes(1))) func `all pictures are read with one budget`() {
        // A TIFF whose directories have 500 entries each and begin six bytes apart, which makes millions of bytes to look at.
        var tiff = [UInt8](repeating: 0, count: 16_384)
        tiff.replaceSubrange(0..<8, with: [0x49, 0x49, 42, 0, 8, 0, 0, 0])
        for start in stride(from: 8, to: 10_000, by: 6) {
            tiff[start] = 0xF4
            tiff[start + 1] = 1
            let next = start + 2 + 500 * 12
            tiff[next] = UInt8(truncatingIfNeeded: start + 6)
            tiff[next + 1] = UInt8(truncatingIfNeeded: (start + 6) >> 8)
        }
        tiff.replaceSubrange(
            10..<34, with: [0, 1, 3, 0, 1, 0, 0, 0, 10, 0, 0, 0, 1, 1, 3, 0, 1, 0, 0, 0, 10, 0, 0, 0])
        let url = "data:;base64,\(Self.base64(tiff))"
        let one = "<image href='\(url)'/>"
        #expect(Self.pixels(Array(String(repeating: one, count: 900).utf8)) == .max)
    }

    @Test(.timeLimit(.minutes(1))) func `a comma is looked for once`() {
        #expect(Self.pixels([UInt8](String(repeating: "data:", count: 1 << 20).utf8)) == 0)
        let one = "data:image/png;base64,\(Self.base64(Self.png(30, 20)))"
        // The first one's media type is too long; the second one's is short.
        let long = "data:" + String(repeating: "x", count: 249)
        #expect(Self.pixels(Self.svg(long + one)) == 600)
        #expect(Self.pixels(Self.svg("data:data:;base64;data:" + one)) == 600)
        // `;base64` stands before the type.
        #expect(Self.pixels(Self.svg("data:;base64\(long),\(Self.base64(Self.png(30, 20)))")) == 0)
    }

    @Test func `no bytes trap`() {
        var random = SeededRandom(for: "pictures in drawings")
        let words = [
            "data:", ";base64,", ",", "&#", "&#x41;", "%4", "%41", "\"", "<", "iVBORw0KGgo", "QUJD", " ", "é",
        ]
        for _ in 0..<3_000 {
            let text = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                words.randomElement(using: &random) ?? ""
            }
            _ = Self.pixels(Array(text.joined().utf8))
        }
    }
}
