// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A drawing can ask for any amount of memory without a word in its header; its decoder is held to a bound.
@Suite("A drawing takes what it may", .endToEnd, .timeLimit(.minutes(5)))
struct JailedDrawingTests {
    private static func svg(_ content: String, entities: String = "") -> [UInt8] {
        let type = entities.isEmpty ? "" : "<!DOCTYPE svg [\(entities)]>"
        return Array(
            "\(type)<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='100' height='100'>\(content)</svg>"
                .utf8)
    }

    private static func daemon() throws -> DaemonUnderTest {
        try DaemonUnderTest([
            "--decoder-jail", "require", "--decoder-processes", "1", "--decoder-formats", "jpeg,png,svg",
            "--decoder-recycle-after", "1000000", "--log-level", "debug",
        ])
    }

    @Test func `a word a thousand times too large is none of the jail's business`() throws {
        let origin = ScriptedOrigin {
            $0.picture(Self.svg("<text x='1' y='1' font-size='12' transform='scale(4096)'>Hello</text>"))
        }
        let daemon = try Self.daemon()
        #expect(try daemon.get(origin.url(), "output=png").status == 200)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `a picture that an entity hides takes no more than the bound`() throws {
        // 144 megapixels: 576 MB as librsvg holds them, and as much again as it paints them.
        let picture = Data(Pictures.dense(12_000, 12_000)).base64EncodedString()
        let image = "<image width='100' height='100' xlink:href='&a;&b;'/>"
        let hidden = Self.svg(
            image, entities: "<!ENTITY a 'dat'><!ENTITY b 'a:image/png;base64,\(picture)'>")
        let told = Self.svg("<image xlink:href='data:image/png;base64,\(picture)'/>")
        let small = Self.svg("<rect width='100' height='100' fill='#f00'/>")
        let origin = ScriptedOrigin {
            $0.picture($0.target == "/hidden" ? hidden : $0.target == "/told" ? told : small)
        }
        let daemon = try Self.daemon()
        #expect(try daemon.get(origin.url("/small"), "output=png").status == 200)
        _ = try daemon.get(origin.url("/hidden"), "output=png")
        // What the drawing says itself is refused.
        let refused = try daemon.get(origin.url("/told"), "output=png")
        #expect(refused.status == 413 && refused.text.contains("output_too_large"), "\(refused.text)")
        #expect(try daemon.get(origin.url("/small"), "output=png&w=50").status == 200)
        // Bounded, whatever became of it. The small ones are measured before it and behind it.
        var peaks: [Int] = []
        let areMeasured = Patience.until {
            peaks = daemon.log.compactMap { $0.firstMatch(of: /"peak":"([0-9]+)"/).flatMap { Int($0.1) } }
            return peaks.count >= 2
        }
        #expect(areMeasured && peaks.allSatisfy { $0 < 300 << 20 }, "\(peaks)")
    }
}
