// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

@Suite("What a URL asks of the pixels reaches them, through both processes", .endToEnd)
struct PixelTests {
    private static let picture = Pictures.flat(40, 20, [200, 100, 50])
    private static let drawing = Array(
        "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'><rect width='20' height='10' fill='#f00'/></svg>"
            .utf8)

    @Test func `effects, cuts and turns are made in the order of the manual`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        let table: [(options: String, width: Int, height: Int, alpha: Bool)] = [
            ("w=20", 20, 10, false), ("w=20&h=20&fit=contain", 20, 20, true), ("ro=90", 20, 40, false),
            ("w=20&h=20&fit=contain&cbg=red&ro=90", 20, 20, false),
            ("cx=10&cy=5&cw=10&ch=10&ro=270", 10, 10, false),
            ("mask=circle", 40, 20, true), ("mask=circle&mtrim", 20, 20, true),
            ("mask=circle&mbg=black", 40, 20, false), ("ar=1:1&fit=cover", 20, 20, false),
            ("ar=1:1&fit=contain&cbg=red", 40, 40, false), ("zoom=0.5", 20, 10, false),
            ("w=10&minw=20&minh=15", 30, 15, false),
            ("w=10&h=10&fit=cover&ax=2&ay=10%25", 10, 10, false),
            ("w=20&h=20&fit=contain&cblur=5", 20, 20, false),
            ("pad=3,5", 50, 26, true),
            ("w=20&pad=1,2,3,4&pbg=red", 26, 14, false), ("radius=5", 40, 20, true),
            ("radius=5&bg=white&pixelate=7&pad=1", 42, 22, false),
            ("ro=45", 42, 42, true), ("blur=3&sharp=1&tint=red&bri=10&con=5&gam=2&mod=1,1,90", 40, 20, false),
        ]
        for row in table {
            let reply = try daemon.get(origin.url(), "output=png&" + row.options)
            #expect(reply.status == 200, "\(row.options): \(reply.text)")
            let header = try ImageHeader.parse(reply.body)
            #expect(
                (header.width, header.height, header.hasAlpha) == (row.width, row.height, row.alpha),
                "\(row.options)")
        }
        let negative = try daemon.get(origin.url(), "output=png&l=0&filt=negate&w=1&h=1&fit=cover")
        #expect(try ImageHeader.parse(negative.body).width == 1)
    }

    @Test
    func `a damaged picture is refused, or shown where the settings say so, and never one for the other`()
        throws
    {
        // In chunks, as encoders write it: libspng shows what is in whole ones.
        let half = Array(Pictures.inChunks(of: 2_000, Pictures.noise(60, 60)).prefix(7_000))
        let origin = ScriptedOrigin { $0.picture(half) }
        let cache = TemporaryFolder()
        let strict = try DaemonUnderTest(cache: cache)
        #expect(try strict.get(origin.url(), "w=30").status == 422)
        strict.stop()
        let lenient = try DaemonUnderTest(["--decoder-damaged", "show"], cache: cache)
        let shown = try lenient.get(origin.url(), "w=30")
        #expect(shown.status == 200)
        #expect(try ImageHeader.parse(shown.body).width == 30)
        lenient.stop()
        let again = try DaemonUnderTest(cache: cache)
        #expect(try again.get(origin.url(), "w=30").status == 422)
    }

    @Test
    func `drawings are refused until the settings name them, and are made in the size that is wanted then`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Self.drawing) }
        #expect(try DaemonUnderTest().get(origin.url(), "w=200&we=0").status == 415)
        let daemon = try DaemonUnderTest(["--decoder-formats", "png,svg"])
        let reply = try daemon.get(origin.url(), "w=200&we=0")
        #expect(reply.status == 200)
        let header = try ImageHeader.parse(reply.body)
        #expect((header.format, header.width, header.height) == (.png, 200, 100))
        let giant = ScriptedOrigin {
            $0.picture(
                Array("<svg xmlns='http://www.w3.org/2000/svg' width='10000000' height='10000000'/>".utf8))
        }
        #expect(try daemon.get(giant.url(), "w=100").status == 413)
    }

    @Test func `a drawing in UTF-16 is one like all others`() throws {
        let units = String(decoding: Self.drawing, as: UTF8.self).utf16
        let wide: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let origin = ScriptedOrigin { $0.picture(wide) }
        let daemon = try DaemonUnderTest(["--decoder-formats", "png,svg", "--encoder-svg", "true"])
        let reply = try daemon.get(origin.url(), "output=png&w=10")
        #expect(reply.status == 200, "\(reply.text)")
        let header = try ImageHeader.parse(reply.body)
        #expect((header.format, header.width, header.height) == (.png, 10, 5))
        let clean = try daemon.get(origin.url(), "svg")
        #expect(clean.text.contains("fill=\"#f00\""), "\(clean.status)")
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `a drawing with text is made in the jail, with what fonts there are`() throws {
        let text = Array(
            "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='30'><text y='20'>Hello</text></svg>"
                .utf8)
        let origin = ScriptedOrigin { $0.picture(text) }
        let daemon = try DaemonUnderTest(["--decoder-formats", "svg"])
        #expect(try daemon.get(origin.url(), "output=png").status == 200)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `code of formats that are not named is not mapped`() throws {
        func mapped(_ daemon: DaemonUnderTest) throws -> String {
            let pid = try #require(daemon.decoders(of: 1)?.first)
            // Such a file has no length beforehand.
            let file = try #require(FileHandle(forReadingAtPath: "/proc/\(pid)/maps"))
            return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        }
        func wait(_ flags: [String]) throws -> String {
            try mapped(DaemonUnderTest(flags))
        }
        let usual = try wait([])
        #expect(usual.contains("vips-heif.so"))
        for module in ["vips-jxl", "vips-poppler", "vips-magick", "vips-openslide"] {
            #expect(!usual.contains(module))
        }
        let more = try wait(["--decoder-formats", "png,pdf"])
        #expect(more.contains("vips-poppler") && !more.contains("vips-jxl"))
        #expect(try wait(["--decoder-writes", "jxl"]).contains("vips-jxl"))
    }

    @Test func `a format that nobody reads is no setting`() throws {
        #expect(throws: DaemonUnderTest.DidNotStart.self) {
            try DaemonUnderTest(["--decoder-formats", "png,magick"])
        }
    }
}
