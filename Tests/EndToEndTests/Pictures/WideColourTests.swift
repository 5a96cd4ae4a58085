// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Colours without a profile reach the pixels, through both processes", .endToEnd)
struct WideColourTests {
    private static let pixel = "w=1&h=1&fit=cover&output=png&l=0"

    @Test func `a wide picture becomes sRGB, or stays wide if asked, and no call is forbidden`() throws {
        let wide = Pictures.inDisplayP3(Pictures.flat(40, 20, [180, 90, 60]))
        let origin = ScriptedOrigin { $0.picture(wide) }
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let plain = try #require(Pictures.colour(ofPixel: daemon.get(origin.url(), Self.pixel).body))
        // By the definitions of both.
        #expect(zip(plain, [193, 83, 51]).allSatisfy { abs(Int($0) - $1) <= 1 }, "\(plain)")
        let kept = try daemon.get(origin.url(), Self.pixel + "&profile=p3").body
        #expect(Pictures.colour(ofPixel: kept) == [180, 90, 60])
        #expect(kept.firstRange(of: Array("iCCP".utf8)) != nil)
        for output in ["jpg", "webp", "avif"] {
            let made = try daemon.get(origin.url(), "output=\(output)&q=100&profile=p3").body
            let again = ScriptedOrigin { $0.picture(made) }
            let shown = try #require(Pictures.colour(ofPixel: daemon.get(again.url(), Self.pixel).body))
            #expect(zip(shown, plain).allSatisfy { abs(Int($0) - Int($1)) <= 3 }, "\(output): \(shown)")
        }
        #expect(try daemon.get(origin.url(), "profile=adobe").status == 400)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `a picture keeps its own profile if asked, in every format that has a place for one`() throws {
        let wide = Pictures.inDisplayP3(Pictures.flat(200, 100, [180, 90, 60]))
        let first = ScriptedOrigin { $0.picture(wide) }
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let png = try daemon.get(first.url(), "output=png&l=0&profile=p3").body
        // name, method, zlib's head, a stored block's head; 492 bytes of ICC.
        let start = try #require(png.firstRange(of: Array("iCCP".utf8))).upperBound + 11 + 1 + 2 + 5
        let profile = Array(png[start..<start + 492])
        #expect(profile[36..<40].elementsEqual("acsp".utf8))

        let jpeg = try daemon.get(first.url(), "output=jpg&q=100&profile=p3").body
        for original in [png, jpeg] {
            let second = ScriptedOrigin { $0.picture(original) }
            let plain = try #require(Pictures.colour(ofPixel: daemon.get(second.url(), Self.pixel).body))
            let kept = try daemon.get(second.url(), Self.pixel + "&profile=keep").body
            let numbers = try #require(Pictures.colour(ofPixel: kept))
            #expect(zip(numbers, [180, 90, 60]).allSatisfy { abs(Int($0) - $1) <= 2 }, "\(numbers)")
            for output in ["jpg", "webp", "avif", "png"] {
                let made = try daemon.get(second.url(), "output=\(output)&w=50&q=100&profile=keep").body
                #expect(made.firstRange(of: profile) != nil, "\(output)")
                let third = ScriptedOrigin { $0.picture(made) }
                let shown = try #require(Pictures.colour(ofPixel: daemon.get(third.url(), Self.pixel).body))
                #expect(zip(shown, plain).allSatisfy { abs(Int($0) - Int($1)) <= 3 }, "\(output): \(shown)")
            }
            let gif = try daemon.get(second.url(), "output=gif&profile=keep").body
            #expect(gif.firstRange(of: Array("acsp".utf8)) == nil)
        }
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }
}
