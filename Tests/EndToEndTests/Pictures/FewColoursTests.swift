// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("A picture of few colours becomes lossless WebP where that is smaller", .endToEnd)
struct FewColoursTests {
    private static let both = [("Accept", "image/avif,image/webp")]

    /// Blocks of four colours.
    private static let drawing = Pictures.png(240, 160) { x, y in
        [[250, 250, 250], [20, 60, 160], [230, 120, 20], [0, 0, 0]][(x / 9 ^ y / 7 ^ x / 40 * (y / 31)) & 3]
    }

    /// A grey disc with a wide soft edge: flat, of at most 256 colours, and hard to write without loss.
    private static let disc = Pictures.png(320, 320) { x, y in
        let (across, down) = (Double(x) - 159.3, Double(y) - 160.6)
        let edge = (across * across + down * down).squareRoot() - 90
        let level = UInt8(min(max(edge * 10, 0), 255))
        return [level, level, level]
    }

    private static func serving(_ file: [UInt8]) -> ScriptedOrigin { ScriptedOrigin { $0.picture(file) } }

    @Test func `auto answers with WebP that has every pixel, in fewer bytes, and says so`() throws {
        let origin = Self.serving(Self.drawing)
        let daemon = try DaemonUnderTest()
        let named = try daemon.get(origin.url(), "output=avif", fields: Self.both)
        #expect(named["Content-Type"] == "image/avif")
        for _ in 1...2 {
            let auto = try daemon.get(origin.url(), "output=auto", fields: Self.both)
            #expect((auto.status, auto["Content-Type"], auto["Vary"]) == (200, "image/webp", "Accept"))
            #expect(auto.body.count < named.body.count)
            #expect(auto["ETag"] != named["ETag"])
            // Asked for without loss, a picture has every pixel.
            #expect(auto.body == (try daemon.get(origin.url(), "ll=1&output=webp").body))
        }
    }

    @Test func `a client that does not accept WebP does not get it`() throws {
        let origin = Self.serving(Self.drawing)
        let daemon = try DaemonUnderTest()
        let expected = ["image/avif": "image/avif", "image/webp": "image/webp", "*/*": "image/jpeg"]
        for (accept, type) in expected {
            let reply = try daemon.get(origin.url(), "output=auto", fields: [("Accept", accept)])
            #expect(reply["Content-Type"] == type, "\(accept)")
        }
    }

    @Test func `WebP that is asked for is lossless where that is smaller`() throws {
        let origin = Self.serving(Self.drawing)
        let daemon = try DaemonUnderTest()
        for options in ["output=webp", "output=webp&q=60", "output=webp&q=auto"] {
            let reply = try daemon.get(origin.url(), options)
            #expect(reply.body[12..<16].elementsEqual("VP8L".utf8), "\(options)")
        }
    }

    @Test(arguments: [("disc", disc), ("noise", Pictures.noise(240, 160))])
    func `what is smaller with loss keeps its format`(name: String, file: [UInt8]) throws {
        let origin = Self.serving(file)
        let daemon = try DaemonUnderTest()
        let auto = try daemon.get(origin.url(), "output=auto&q=60", fields: Self.both)
        #expect(auto["Content-Type"] == "image/avif")
        #expect(try daemon.get(origin.url(), "output=webp&q=60").body[12..<16].elementsEqual("VP8 ".utf8))
    }

    @Test func `a small size of a drawing, and one with alpha, are answered too`() throws {
        let origin = Self.serving(Self.drawing)
        let daemon = try DaemonUnderTest()
        for options in ["w=1", "w=100", "h=1&fit=fill&w=90", "mask=circle"] {
            let reply = try daemon.get(origin.url(), options + "&output=auto", fields: Self.both)
            #expect(reply.status == 200, "\(options)")
            let format = try ImageHeader.parse(reply.body).format
            #expect(reply["Content-Type"] == (format == .webp ? "image/webp" : "image/avif"))
        }
    }
}
