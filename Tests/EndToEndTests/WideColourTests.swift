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
}
