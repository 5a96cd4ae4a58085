// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

@Suite("JPEG XL is written without being read, and by Accept where the settings say so", .endToEnd)
struct JPEGXLTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.noise(120, 80)) }
    private static let all = "image/webp,image/avif,image/jxl,image/png,*/*;q=0.5"

    private func type(
        _ daemon: DaemonUnderTest, _ accept: String, _ options: String = "w=60&output=auto"
    ) throws -> String? {
        try daemon.get(origin.url(), options, fields: [("Accept", accept)])["Content-Type"]
    }

    @Test(arguments: ["require", "off"])
    func `it is written while its reader stays closed, in the jail and without`(jail: String) throws {
        let daemon = try DaemonUnderTest(["--decoder-writes", "jxl", "--decoder-jail", jail])
        let made = try daemon.get(origin.url(), "w=60&output=jxl")
        #expect((made.status, made["Content-Type"]) == (200, "image/jxl"), "\(made.text)")
        let header = try ImageHeader.parse(made.body)
        #expect((header.format, header.width, header.height) == (.jxl, 60, 40))
        let lossless = try daemon.get(origin.url(), "w=60&output=jxl&ll&il")
        #expect(lossless.status == 200)
        #expect(lossless.body.count > made.body.count)
        let source = ScriptedOrigin { $0.picture(made.body) }
        #expect(try daemon.get(source.url(), "w=30&output=png").status == 415)
        let reader = try DaemonUnderTest(["--decoder-formats", "png,jxl", "--decoder-jail", jail])
        let read = try reader.get(source.url(), "w=30&output=png")
        #expect(read.status == 200, "\(read.text)")
        #expect(try ImageHeader.parse(read.body).width == 30)
        #expect(try DaemonUnderTest().get(origin.url(), "w=60&output=jxl").status == 415)
    }

    @Test func `the lowest qualities make small files`() throws {
        let daemon = try DaemonUnderTest(["--decoder-writes", "jxl"])
        func size(_ quality: Int) throws -> Int {
            let made = try daemon.get(origin.url(), "w=60&output=jxl&q=\(quality)")
            #expect(made.status == 200, "\(made.text)")
            return made.body.count
        }
        let usual = try size(50)
        for quality in [1, 4, 5] { #expect(try size(quality) < usual, "\(quality)") }
    }

    @Test func `Accept chooses it where the settings name it, and never unasked`() throws {
        let flags = ["--decoder-writes", "jxl", "--options-auto-formats", "jxl,avif,webp"]
        let daemon = try DaemonUnderTest(flags)
        for (accept, expected) in [
            (Self.all, "image/jxl"), ("image/jxl", "image/jxl"), ("image/avif,image/webp", "image/avif"),
            ("image/jxl;q=0.8,image/avif", "image/avif"), ("image/jxl;q=0.8,image/webp;q=0.7", "image/jxl"),
            ("image/jxl;q=0,image/webp", "image/webp"), ("image/*,*/*", "image/jpeg"),
        ] {
            for _ in 1...2 { #expect(try type(daemon, accept) == expected, "\(accept)") }
        }
        let fields = [("Accept", Self.all)]
        let chosen = try daemon.get(origin.url(), "w=60&output=auto&q=70", fields: fields)
        #expect(chosen["Vary"] == "Accept")
        #expect(try chosen["ETag"] == daemon.get(origin.url(), "w=60&output=jxl&q=70")["ETag"])
        let only = try DaemonUnderTest(["--decoder-writes", "jxl", "--options-auto-formats", "jxl"])
        #expect(try type(only, Self.all) == "image/jxl")
        #expect(try type(only, "image/jxl;q=0.5,image/avif") == "image/jxl")
        #expect(try type(only, "image/avif,image/webp") == "image/jpeg")
        let usual = try DaemonUnderTest(["--decoder-writes", "jxl"])
        #expect(try type(usual, Self.all) == "image/avif")
        // Whoever accepts it is like all others then, and finds their answers.
        let other = try usual.get(
            origin.url(), "w=60&output=auto", fields: [("Accept", "image/avif,image/webp")])
        #expect(other["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
        #expect(other["Server-Timing"] == nil)
    }

    @Test func `animations stay animations, and pictures that would grow keep their format`() throws {
        let moving = ScriptedOrigin { $0.picture(Pictures.animation(60, 40, frames: 3)) }
        let daemon = try DaemonUnderTest([
            "--decoder-writes", "jxl", "--options-auto-formats", "jxl,avif,webp",
        ])
        let reply = try daemon.get(moving.url(), "n=-1&output=auto", fields: [("Accept", Self.all)])
        #expect(reply["Content-Type"] == "image/webp")
    }

    @Test func `colours that are multiplied by alpha are shown as they were`() throws {
        // 16 × 16, lossless, all pixels 120, 60, 30 with an alpha of 128; written by libjxl, and then said to be associated.
        let associated = try #require(
            Data(base64Encoded: "/wpDwAAoAQgIEABoAEsYixUAlIwxxovHC0gAQECcEAB/FLgDlBIK"))
        var separate = associated
        // The bit that says so.
        #expect(separate[5] & 8 == 8)
        separate[5] &= ~8
        let daemon = try DaemonUnderTest(["--decoder-formats", "jxl"])
        for (file, expected) in [(associated, [120, 60, 30]), (separate, [60, 30, 15])] {
            let source = ScriptedOrigin { $0.picture(Array(file)) }
            let made = try daemon.get(source.url(), "w=1&h=1&fit=cover&bg=black&output=png&l=0")
            let colour = try #require(Pictures.colour(ofPixel: made.body), "\(made.text)")
            for (level, other) in zip(colour, expected) { #expect(abs(Int(level) - other) <= 1, "\(colour)") }
        }
    }

    @Test func `a high dynamic range becomes the standard one, with light pages`() throws {
        // 16 × 16, lossless, of 16 bits in BT.2100 and PQ: all pixels are the white of a page, 203 cd/m²; written by libjxl.
        let file = try #require(
            Data(base64Encoded: "/wpDBPwA5NEjDgcAAACACAIBAFAASxIJEhg4BEFIsQb0/wAQoNpvKqU="))
        let daemon = try DaemonUnderTest(["--decoder-formats", "jxl"])
        let source = ScriptedOrigin { $0.picture(Array(file)) }
        for profile in ["srgb", "p3"] {
            let made = try daemon.get(source.url(), "w=1&h=1&output=png&l=0&profile=\(profile)")
            let colour = try #require(Pictures.colour(ofPixel: made.body), "\(made.text)")
            for level in colour { #expect((207...209).contains(level), "\(profile): \(colour)") }
        }
    }

    @Test(
        arguments: [
            // 16 × 16, lossless, of 32 bits, written by libjxl: all pixels are 120/255, 60/255, 30/255, as numbers of sRGB.
            ("/wpDyAEUNwIIBAEAhABLOGiYwoP3FRTEFPdm+J81vwAAbQo8PLyDfeDh4RwPD98=", [120, 60, 30]),
            // The same as light.
            ("/wpDyAEULQIIBAEAhABLOGiYwoP3FRTEFPdm+J81vwAAbQo8PLyDfeDh4RwPD98=", [182, 133, 96]),
            // Grey of 120/255, as a number of sRGB and as light.
            ("/wpDyAHFjQgEAQCAAEsYixUAZF+MwYS7GINuBv8CABp3xcPDew8PFzZUS/8H", [120, 120, 120]),
            ("/wpDyAFFiwgEAQCAAEsYixUAZF+MwYS7GINuBv8CABp3xcPDew8PFzZUS/8H", [182, 182, 182]),
        ] as [(String, [Int])])
    func `floating-point numbers mean what the file says of them`(file: String, expected: [Int]) throws {
        let (colour, told) = try average(file)
        for (level, other) in zip(colour, expected) { #expect(abs(level - other) <= 1, "\(told)") }
    }

    @Test(
        arguments: [
            // 16 × 16, lossy, written by libjxl with a profile of ProPhoto: all pixels are 0.066 to the power of 1.8, as light.
            // Of 16 bits, and of floating-point numbers.
            (
                """
                /wpD8JPCjcKAhHkAZOoKMOj9nmYxKjbPaAkVHstJaFbZpah8oNnlRCx1JIrWw6lo3Alg2R233Vn/AV5RqyYIPocUO05s8C3S4vwLiwOgXevt\
                z+k0kDkWNlHHxQg5oG0+F40M1PcMImzC2xoAEogCAMAAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSCRsggTN3ADC0UEkC
                """, 21
            ),
            (
                """
                /wpDyKVwozAgYR4AmboCDHq/p1mMis0zWkKFx3ISmlV2KSofaHY5EUsdiaL1cCoadwJYdsdtd9Z/gFfUqgmCzyHFjhMbfIu0OP/C4gBo13r7\
                czoNZI6FTdRxMUIOaJvPRSMD9T2DCJvwtgYAEogCAMAAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSCRsggTN3ADC0UEkC
                """, 21
            ),
            // Grey whose white is E, and whose pixels are 28/255 as numbers of sRGB: of 8 bits, of 16, and of floating-point
            // numbers.
            (
                """
                /wpDQJLIjQASiAIAwABd5RIAABUqo4wbvJzr+fJDh8W0jesMbbVtYUmiyDg2SSdwSBJJGyChM1cAMLRQSQI=
                """, 28
            ),
            (
                """
                /wpD8JMkciMAEogCAMAAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSSRsgoTNXADC0UEkC
                """, 28
            ),
            (
                """
                /wpDyCWJ3AgAEogCAMAAXeUSAAAVKqOMG7yc6/nyQ4fFtI3rDG21bWFJosg4NkkncEgSSRsgoTNXADC0UEkC
                """, 28
            ),
        ] as [(String, Int)])
    func `a lossy file that libjxl returns as light is not too dark`(file: String, expected: Int) throws {
        let (colour, told) = try average(file)
        for level in colour { #expect(abs(level - expected) <= 1, "\(told)") }
    }

    @Test(
        arguments: [
            // 16 × 16, lossless, all pixels are 0.001, 0.002 and 0.004, light that is multiplied by an alpha of ½; written by libjxl,
            // and then said to be associated. Of floating-point numbers.
            (
                "/wpDyAk5CIoWAQgIEACcAEsYixUAZDPGYMpFxhjvAhIANH42BHiTGNSNjPp+QgMAAACziWznCw==", [7, 13, 22]
            ),
            // 0.001 of 16 bits.
            ("/wpD8CP4gaBoEQgIEABkAEsYixUAnC/GYFwMjruABAAKxI8A4MMEvj8=", [7, 7, 7]),
        ] as [(String, [Int])])
    func `light that is multiplied by alpha keeps its dark levels`(file: String, expected: [Int]) throws {
        let picture = try #require(Data(base64Encoded: file))
        let daemon = try DaemonUnderTest(["--decoder-formats", "jxl"])
        let source = ScriptedOrigin { $0.picture(Array(picture)) }
        // Half of the levels is left on black.
        let made = try daemon.get(source.url(), "w=1&h=1&fit=cover&bg=black&output=png&l=0")
        let colour = try #require(Pictures.colour(ofPixel: made.body), "\(made.text)")
        for (level, other) in zip(colour, expected) {
            #expect(abs(2 * Int(level) - other) <= 1, "\(colour)")
        }
    }

    /// The average colour of a file, in base64, and the description that tells it.
    private func average(_ file: String) throws -> (levels: [Int], told: String) {
        let picture = try #require(Data(base64Encoded: file))
        let daemon = try DaemonUnderTest(["--decoder-formats", "jxl"])
        let source = ScriptedOrigin { $0.picture(Array(picture)) }
        let told = try daemon.get(source.url(), "output=json&json=average").text
        let digits = try #require(told.firstMatch(of: /"average":"#([0-9a-f]{6})"/), "\(told)").1
        let colour = try #require(Int(digits, radix: 16))
        return ([16, 8, 0].map { colour >> $0 & 255 }, told)
    }

    @Test func `the languages of other services have it by their own lists`() throws {
        let daemon = try DaemonUnderTest([
            "--decoder-writes", "jxl", "--next-formats", "jxl,webp", "--imgproxy-enabled", "true",
            "--imgproxy-auto-formats", "jxl", "--cloudflare-enabled", "true",
        ])
        let fields = [("Accept", Self.all)]
        let url = origin.url().absolute
        for (target, expected) in [
            ("/_next/image?url=\(url)&w=60&q=75", "image/jxl"),
            ("/insecure/w:60/plain/\(url)", "image/jxl"),
            ("/cdn-cgi/image/w=60,f=auto/\(url)", "image/avif"),
        ] {
            #expect(try daemon.get(target, fields: fields)["Content-Type"] == expected, "\(target)")
        }
    }

    @Test func `a list that names it asks for its writer`() {
        for key in ["options", "imgproxy"] {
            let error = #expect(throws: DaemonUnderTest.DidNotStart.self) {
                try DaemonUnderTest(["--\(key)-auto-formats", "jxl", "--imgproxy-enabled", "true"])
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("\(key).auto-formats names jxl"))
        }
    }
}
