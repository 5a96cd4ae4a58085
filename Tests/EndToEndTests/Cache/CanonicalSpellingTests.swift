// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Order, escapes, synonyms and defaults never split the cache", .endToEnd)
struct CanonicalSpellingTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test(arguments: [
        [
            "w=30&h=20&fit=cover&a=top", "%77=30&height=20&t=cover&align=t",
            "a=top&fit=cover&h=10&w=15&dpr=2&we=1&n=1",
        ],
        ["flip&flop", "ro=180", "ro=-180&rbg=red", "or=540&flip=0"],
        ["bg=fff", "bg=%23FFFFFF", "bg=white", "bg=ffffffff&tint=transparent&cbg=red"],
        ["mod=1,2", "sat=2", "mod=1,2,360&hue=720&con=0&gam=1"],
        ["output=png&l=3", "output=png&level=3&q=50&ll&loop=3&page=0"],
        ["cx=10&cw=20", "cx=10&cw=20&cy=0&ch=100%25&precrop"],
    ])
    func `one picture is one rendition, however it is spelt`(spellings: [String]) throws {
        let daemon = try DaemonUnderTest()
        let tags = try spellings.map { options in
            let reply = try daemon.get(origin.url(), options)
            #expect(reply.status == 200, "\(options): \(reply.text.prefix(200))")
            return reply["ETag"]
        }
        #expect(Set(tags).count == 1, "\(tags)")
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `how a picture is handed over is no part of it`() throws {
        let daemon = try DaemonUnderTest(["--options-default-hosts", "127.0.0.1"])
        let tags = try ["w=30", "w=30&filename=x", "w=30&maxage=1d", "w=30&priority=low", "w=30&default=1"]
            .map {
                try daemon.get(origin.url(), $0)["ETag"]
            }
        #expect(Set(tags).count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }
}
