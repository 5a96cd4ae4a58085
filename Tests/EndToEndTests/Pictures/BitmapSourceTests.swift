// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

/// Bitmaps and icons are read without a setting: their readers are Pictor's own.
@Suite("Windows' bitmaps and icons are sources like any other", .endToEnd)
struct BitmapSourceTests {
    private static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    private static func header(_ width: Int, _ height: Int, _ bits: Int) -> [UInt8] {
        little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            + [UInt8](repeating: 0, count: 24)
    }

    /// One colour, 24 bits a pixel.
    private static let bitmap: [UInt8] = {
        let dib = header(40, 20, 24) + (0..<40 * 20).flatMap { _ in [30, 120, 220] as [UInt8] }
        return Array("BM".utf8) + little(14 + dib.count, 4) + little(0, 4) + little(54, 4) + dib
    }()

    /// A square of 16 as pixels, and one of 64 as PNG.
    private static let icon: [UInt8] = {
        let small =
            header(16, 32, 32) + (0..<256).flatMap { _ in [30, 120, 220, 255] as [UInt8] }
            + [UInt8](repeating: 0, count: 64)
        let large = Pictures.gradient(64, 64)
        let directory =
            little(0, 2) + little(1, 2) + little(2, 2)
            + [16, 16, 0, 0] + little(1, 2) + little(32, 2) + little(small.count, 4) + little(38, 4)
            + [64, 64, 0, 0] + little(1, 2) + little(32, 2) + little(large.count, 4)
            + little(38 + small.count, 4)
        return directory + small + large
    }()

    private static let origin = ScriptedOrigin { peer in
        switch peer.target {
        case "/favicon.ico": peer.picture(icon)
        case "/half.ico": peer.picture(Array(icon.prefix(600)))
        case "/half.bmp": peer.picture(Array(bitmap.prefix(bitmap.count / 2)))
        default: peer.picture(bitmap)
        }
    }

    @Test func `they become PNG with alpha and JPEG without, or the format asked for`() throws {
        let daemon = try DaemonUnderTest()
        let table: [(String, String, ImageFormat, PixelSize)] = [
            ("/a.bmp", "w=10", .jpeg, PixelSize(width: 10, height: 5)),
            ("/a.bmp", "w=10&output=webp", .webp, PixelSize(width: 10, height: 5)),
            ("/favicon.ico", "w=16", .png, PixelSize(width: 16, height: 16)),
            ("/favicon.ico", "w=32", .png, PixelSize(width: 32, height: 32)),
            ("/favicon.ico", "output=jpg", .jpeg, PixelSize(width: 64, height: 64)),
        ]
        for (path, options, format, size) in table {
            let reply = try daemon.get(Self.origin.url(path), options)
            try #require(reply.status == 200, "\(path) \(options): \(reply.text)")
            let header = try ImageHeader.parse(reply.body)
            #expect(header.format == format, "\(path) \(options)")
            #expect(PixelSize(width: header.width, height: header.height) == size, "\(path) \(options)")
        }
    }

    @Test func `one that is cut short is a damaged picture, and the next is made`() throws {
        let daemon = try DaemonUnderTest()
        for path in ["/half.bmp", "/half.ico"] {
            let reply = try daemon.get(Self.origin.url(path), "w=16")
            #expect(reply.status == 422 && reply.text.contains("damaged_image"), "\(path): \(reply.text)")
        }
        #expect(try daemon.get(Self.origin.url("/a.bmp"), "w=16").status == 200)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `settings that leave them out refuse them`() throws {
        let daemon = try DaemonUnderTest(["--decoder-formats", "jpeg,png"])
        for path in ["/a.bmp", "/favicon.ico"] {
            let reply = try daemon.get(Self.origin.url(path), "w=16")
            #expect(reply.status == 415, "\(path)")
            #expect(reply.text.contains("format_not_allowed"), "\(path): \(reply.text)")
        }
    }
}
