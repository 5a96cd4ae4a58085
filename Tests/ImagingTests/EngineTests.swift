// SPDX-License-Identifier: Apache-2.0

import CEncoders
import Foundation
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite struct EngineTests {
    @Test func `the engine says which libvips it is, and whether Pictor's own decoder takes part`() {
        TestRenderer.withEngine {
            #expect(Engine.version(jpegLane: false).hasPrefix("libvips 8."))
            #expect(Engine.version(jpegLane: true).contains(", planar "))
            #expect(!Engine.version(jpegLane: false).contains("planar"))
        }
    }

    @Test func `the engine names each library that writes or draws, once, and its version`() {
        let entries = TestRenderer.withEngine { Engine.version(jpegLane: true) }.components(separatedBy: ", ")
        let versions = entries.map { $0.split(separator: " ", omittingEmptySubsequences: false) }
        for (entry, words) in zip(entries, versions) {
            // A version such as "webp 1.2.4". For one of libheif's coders, its direction comes before its
            // name: "av1-out aom 3.6.0".
            #expect((2...3).contains(words.count), "\(entry)")
            #expect(words.last?.contains(where: \.isNumber) == true, "\(entry)")
        }
        let names = versions.compactMap { $0.first }
        #expect(Set(names).count == names.count)
        for name in ["heif", "av1-out", "webp", "zlib", "lcms", "pango", "cairo", "rsvg", "freetype", "cgif"]
        {
            #expect(names.contains { $0 == name }, "\(name)")
        }
        #expect(names.contains { ["jpeg", "jpeg-rounding", "mozjpeg"].contains($0) })
    }

    @Test func `a libjpeg without a place for the trellis has another name, for it makes other files`() {
        let name = TestRenderer.withEngine { Engine.version(jpegLane: true) }
        #expect(name.contains(", jpeg ") == cjpeg_has_trellis(), "\(name)")
    }

    @Test func `a handshake carries the engine's name whole`() {
        let name = TestRenderer.withEngine { Engine.version(jpegLane: true) }
        // Wire.longestEngine, less some room for the modules of JPEG XL and PDF.
        #expect(name.utf8.count <= 512 - 40, "\(name)")
    }

    @Test func `the engine has the same name whenever it is asked`() {
        TestRenderer.withEngine { #expect(Engine.version(jpegLane: true) == Engine.version(jpegLane: true)) }
    }

    @Test func `nothing is printed and nothing is held, whatever comes`() throws {
        let png = PNGFile.write(gradient(100, 100))
        let cut = Array(png.prefix(png.count / 2))
        let header = try ImageHeader.parse(png)
        for _ in 0..<20 {
            _ = try TestRenderer.render(png, .make(.webp, w: 30, h: 50, .cover, .entropy))
            _ = try TestRenderer.failure(cut, .make(.jpeg, w: 50), header: header)
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test func `the times add up to something`() throws {
        let made = try TestRenderer.render(PNGFile.write(gradient(300, 300)), .make(.webp, w: 200))
        #expect(made.result.decoding > 0)
        #expect(made.result.encoding > 0)
    }

    @Test func `the same job makes the same bytes`() throws {
        let png = PNGFile.write(gradient(300, 200))
        for format in [ImageFormat.jpeg, .png, .webp, .avif, .gif] {
            let recipe = Recipe.make(format, w: 100)
            #expect(try TestRenderer.render(png, recipe).bytes == TestRenderer.render(png, recipe).bytes)
        }
    }
}
