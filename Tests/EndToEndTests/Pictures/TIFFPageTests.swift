// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("The pages of a TIFF are pictures of their own", .endToEnd)
struct TIFFPageTests {
    @Test func `a page larger than the first is made, and takes none of the others away`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.tiff([(52, 40), (80, 50), (110, 60)])) }
        let daemon = try DaemonUnderTest()
        for (options, expected) in [
            ("page=1", [80, 50]), ("w=20", [20, 15]), ("page=-1", [110, 60]), ("w=40", [40, 31]),
            ("", [52, 40]),
        ] {
            let reply = try daemon.get(origin.url(), "output=png" + (options.isEmpty ? "" : "&" + options))
            #expect(reply.status == 200, "\(options): \(reply.text)")
            #expect(try pictureSize(reply) == expected, "\(options)")
        }
    }

    @Test func `a page is described in its own size`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.tiff([(52, 40), (80, 50), (110, 60)])) }
        let daemon = try DaemonUnderTest()
        for (options, width, height) in [
            ("", 52, 40), ("&page=1", 80, 50), ("&page=1&w=40", 40, 25), ("&page=-1", 110, 60),
            ("&page=-2", 52, 40),
        ] {
            let told = try daemon.get(origin.url(), "output=json" + options).text
            #expect(told.contains("\"width\":\(width),\"height\":\(height),"), "\(options): \(told)")
        }
        let told = try daemon.get(origin.url(), "output=json&json=srcset&page=1").text
        #expect(told.contains(" 80w"), "\(told)")
        #expect(try daemon.metric("pictor_renders_total") == 0)
    }

    @Test func `a page is held against the limits, and the first is not the worse for it`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.tiff([(52, 40), (300, 200)])) }
        let daemon = try DaemonUnderTest(["--decoder-maximum-pixels", "10000"])
        let large = try daemon.get(origin.url(), "output=png&page=1&w=10")
        #expect(large.status == 413 && large.text.contains("too_many_pixels"))
        #expect(try daemon.get(origin.url(), "output=png").status == 200)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `a page of a shape that nobody foresaw is not made larger than what was admitted`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.tiff([(10, 10), (20, 2_000), (200, 600)])) }
        let daemon = try DaemonUnderTest(["--limits-enlarged-pixels", "1000000"])
        // 400 × 40,000 is sixteen times what strangers may have.
        let long = try daemon.get(origin.url(), "output=png&page=1&w=400&l=9&we=0")
        #expect(long.status == 413, "\(long.text)")
        let usual = try daemon.get(origin.url(), "output=png&page=2&w=100")
        #expect(try usual.status == 200 && pictureSize(usual) == [100, 300], "\(usual.text)")
        let within = try daemon.get(origin.url(), "output=png&page=2&w=100&h=100")
        #expect(try within.status == 200 && pictureSize(within) == [33, 100], "\(within.text)")
    }

    @Test func `a TIFF that was turned upright does not say that it lies`() throws {
        for orientation in [2, 3, 6, 8] {
            let file = Pictures.tiff([(60, 40)], orientation: orientation)
            let origin = ScriptedOrigin { $0.picture(file) }
            let daemon = try DaemonUnderTest()
            for options in ["w=20", "output=tiff", "output=tiff&q=90"] {
                let header = try ImageHeader.parse(try daemon.get(origin.url(), options).body)
                #expect(header.format == .tiff && header.orientation == 1, "\(orientation) \(options)")
                #expect((header.width > header.height) == (orientation < 5))
            }
        }
    }

    @Test func `samples of a kind that is not read are refused as such`() throws {
        var file = Pictures.tiff([(8, 8)])
        // 32 bits each.
        for place in [123, 125, 127] { file[place] = 32 }
        let odd = file
        let origin = ScriptedOrigin { $0.picture(odd) }
        let reply = try DaemonUnderTest().get(origin.url(), "output=png")
        #expect(reply.status == 415 && reply.text.contains("coding_not_read"))
    }

    @Test func `a page whose samples are not read is refused as such, and takes none of the others away`()
        throws
    {
        var file = Pictures.tiff([(8, 8), (8, 8)])
        // The second page's, 32 bits each.
        for place in [435, 437, 439] { file[place] = 32 }
        let odd = file
        let origin = ScriptedOrigin { $0.picture(odd) }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(origin.url(), "output=png&page=1")
        #expect(reply.status == 415 && reply.text.contains("coding_not_read"), "\(reply.text)")
        #expect(try daemon.get(origin.url(), "output=png").status == 200)
    }
}
