// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import RandomInputs
import Testing

/// What a drawing holds of pictures is known before they are decoded.
@Suite struct SVGPictureTests {
    /// As much of a PNG as its size takes.
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
        let inner = "data:image/svg+xml;base64,\(Self.base64(Self.svg(whole)))"
        #expect(Self.pixels(Self.svg(inner, whole)) == 12_000_000)
    }

    @Test func `too many pixels are as many as can be told`() {
        let most = "data:image/png;base64,\(Self.base64(Self.png(.max >> 1, .max >> 1)))"
        #expect(Self.pixels(Self.svg(most, most, most, most)) == .max)
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
