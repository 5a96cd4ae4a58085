// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("maxage says how long clients may keep an answer", .endToEnd)
struct LifetimeTests {
    private let origin = ScriptedOrigin { peer in
        if peer.target == "/private" {
            peer.answer(fields: ["Cache-Control: no-store"], body: Pictures.flat(4, 4, [1, 2, 3]))
        } else {
            peer.picture(Pictures.flat(4, 4, [1, 2, 3]), maxAge: 600)
        }
    }

    @Test func `it counts from now, within the bounds of the settings, on hits too`() throws {
        let daemon = try DaemonUnderTest(["--cache-client-maximum-lifetime", "1d"])
        for (text, seconds) in [("1h", 3_600), ("5m", 300), ("1y", 86_400)] {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url("/a"), "maxage=\(text)")
                let age = Int(reply["Age"] ?? "0") ?? 0
                #expect(reply["Cache-Control"]?.hasPrefix("public, max-age=\(seconds + age)") == true)
            }
        }
        #expect(try daemon.get(origin.url("/a"))["Cache-Control"] == "public, max-age=600")
        #expect(origin.heads.count == 1)
    }

    @Test func `what the origin forbids stays forbidden`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/private"), "maxage=1d")["Cache-Control"] == "no-store")
    }
}
