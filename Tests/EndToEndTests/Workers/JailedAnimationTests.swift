// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport
import Testing

/// libvips compiles loops for every frame that it resizes, blurs or convolves, and no decoder maps executable
/// memory once its jail is shut. All effects with all numbers of frames take minutes: `PICTOR_ALL_FRAMES=1`.
@Suite("An animation of any length is made in the jail", .endToEnd, .timeLimit(.minutes(30)))
struct JailedAnimationTests {
    private static let isWhole = ProcessInfo.processInfo.environment["PICTOR_ALL_FRAMES"] != nil
    private static let counts = isWhole ? [1, 2, 12, 19, 20, 64, 256] : [19, 64]
    private static let formats = isWhole ? ["gif", "webp"] : ["webp"]

    /// Every option that changes pixels, each with a resize, and some of them together.
    private static let effects = [
        "w=37", "w=41&h=17&fit=fill", "w=90&h=90&we=0", "w=33&h=33&fit=cover",
        "w=33&h=33&fit=cover&a=attention",
        "w=33&h=33&fit=cover&a=entropy", "w=33&h=40&fit=contain&cbg=red", "w=37&cx=3&cy=3&cw=20&ch=10",
        "w=37&cx=3&cy=3&cw=40&ch=20&precrop", "w=37&trim=20", "w=37&mask=circle",
        "w=37&mask=star&mtrim&mbg=red",
        "w=37&ro=90", "w=37&ro=31", "w=37&flip", "w=37&flop", "w=37&bg=red", "w=37&blur", "w=37&blur=0.6",
        "w=37&blur=24", "w=37&blur=100", "w=37&sharp", "w=37&sharp=1,2,3", "w=37&con=20&bri=10&gam=2",
        "w=37&mod=1.2,0.8,40", "w=37&filt=greyscale", "w=37&filt=sepia", "w=37&filt=duotone",
        "w=37&filt=negate",
        "w=37&tint=red", "w=37&q=auto", "w=37&ll",
        "w=37&h=31&fit=fill&blur=24&sharp=9&mask=heart&ro=10&tint=blue",
    ]
    private static let fewEffects = [
        "w=37", "w=37&ro=31", "w=37&trim=20", "w=33&h=33&fit=cover&a=attention",
        "w=37&h=31&fit=fill&blur=24&sharp=9&mask=heart&ro=10&tint=blue",
    ]

    @Test(arguments: counts, formats)
    func `whatever is done to its frames`(count: Int, output: String) throws {
        let file = Pictures.animation(60, 40, frames: count)
        let origin = ScriptedOrigin { $0.picture(file) }
        let daemon = try DaemonUnderTest([
            "--decoder-jail", "require", "--limits-renditions-per-original", "0",
            // Many frames take a debug build seconds, and beside others more.
            "--decoder-timeout", "5m",
        ])
        for effects in Self.isWhole ? Self.effects : Self.fewEffects {
            let reply = try daemon.get(origin.url(), "\(effects)&n=-1&output=\(output)")
            #expect(reply.status == 200, "\(count) frames, \(effects): \(reply.text)")
            guard reply.status == 200 else { continue }
            #expect(try ImageHeader.parse(reply.body).pages == count, "\(effects)")
        }
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `each frame is the one that it would be alone`() throws {
        let file = Pictures.animation(60, 40, frames: 20)
        let origin = ScriptedOrigin { $0.picture(file) }
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let made = try daemon.get(origin.url(), "w=37&blur=2&ro=90&n=-1&output=webp&ll").body
        let again = ScriptedOrigin { $0.picture(made) }
        for page in [0, 1, 7, 19] {
            let ofMany = try daemon.get(again.url(), "page=\(page)&output=png").body
            let alone = try daemon.get(origin.url(), "w=37&blur=2&ro=90&page=\(page)&output=webp&ll").body
            let written = ScriptedOrigin { $0.picture(alone) }
            #expect(try daemon.get(written.url(), "output=png").body == ofMany, "frame \(page)")
        }
    }
}
