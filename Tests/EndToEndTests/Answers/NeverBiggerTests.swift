// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("An answer is never bigger than the original, where only its bytes would change", .endToEnd)
struct NeverBiggerTests {
    /// Noise written at a low quality, which any higher one makes bigger.
    private static func meagre(_ output: String) throws -> [UInt8] {
        let origin = ScriptedOrigin { $0.picture(Pictures.noise(96, 64)) }
        return try DaemonUnderTest().get(origin.url(), "output=\(output)&q=10").body
    }

    private static func serving(_ file: [UInt8]) -> ScriptedOrigin {
        ScriptedOrigin { $0.picture(file) }
    }

    @Test(arguments: [("jpg", "image/jpeg"), ("webp", "image/webp"), ("avif", "image/avif")])
    func `the original's own bytes are the answer`(output: String, type: String) throws {
        let file = try Self.meagre(output)
        let origin = Self.serving(file)
        let daemon = try DaemonUnderTest()
        for options in ["", "output=\(output)", "q=95", "w=4000"] {
            let reply = try daemon.get(origin.url(), options)
            #expect(reply.body == file, "\(options)")
            #expect(reply["Content-Type"] == type)
        }
        #expect(try daemon.get(origin.url(), "w=95").body != file)
        let plain = try DaemonUnderTest(["--encoder-keep-smaller-original", "false"])
        #expect(try plain.get(origin.url()).body.count > file.count)
    }

    @Test func `a comment does not come along`() throws {
        let file = try Self.meagre("jpg")
        let comment: [UInt8] = [0xFF, 0xFE, 0, 8] + Array("secret".utf8)
        let origin = Self.serving(file[0..<2] + comment + file[2...])
        #expect(try DaemonUnderTest().get(origin.url()).body == file)
    }

    @Test func `a format that was ours to choose is not chosen at that price`() throws {
        let file = try Self.meagre("jpg")
        let origin = Self.serving(file)
        let daemon = try DaemonUnderTest()
        for _ in 1...2 {
            let reply = try daemon.get(origin.url(), "output=auto", fields: [("Accept", "image/webp")])
            #expect(reply.body == file)
            #expect(reply["Content-Type"] == "image/jpeg")
            #expect(reply["Vary"] == "Accept")
        }
        // Who names a format gets it.
        let named = try daemon.get(origin.url(), "output=webp")
        #expect(named["Content-Type"] == "image/webp")
    }

    @Test func `AVIF gives way to WebP above its limit of pixels, and says so`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(120, 100)) }
        let daemon = try DaemonUnderTest(["--encoder-avif-maximum-pixels", "5000"])
        for options in ["output=avif", "output=auto"] {
            let large = try daemon.get(origin.url(), options, fields: [("Accept", "image/avif,image/webp")])
            #expect(large["Content-Type"] == "image/webp", "\(options)")
            #expect(try ImageHeader.parse(large.body).format == .webp)
            let small = try daemon.get(
                origin.url(), options + "&w=60", fields: [("Accept", "image/avif,image/webp")])
            #expect(small["Content-Type"] == "image/avif", "\(options)")
        }
    }

    @Test func `TIFF is written, and JPEG XL only where its code may be loaded`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let tiff = try daemon.get(origin.url(), "w=30&output=tiff")
        #expect(tiff["Content-Type"] == "image/tiff")
        #expect(try ImageHeader.parse(tiff.body).format == .tiff)
        #expect(try daemon.get(origin.url(), "w=30&output=jxl").status == 415)
        let open = try DaemonUnderTest(["--decoder-formats", "jpeg,png,jxl"])
        let jxl = try open.get(origin.url(), "w=30&output=jxl")
        #expect(jxl.status == 200)
        #expect(jxl["Content-Type"] == "image/jxl")
        #expect(try ImageHeader.parse(jxl.body).format == .jxl)
    }
}
