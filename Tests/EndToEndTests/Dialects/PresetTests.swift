// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("A preset stands for the options that the settings give it", .endToEnd)
struct PresetTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `its options hold where the URL has none of its own`() throws {
        let daemon = try DaemonUnderTest([
            "--options-presets", "thumb=w=20&h=20&fit=cover&output=webp,wide=w=50",
        ])
        for (options, expected) in [
            ("preset=thumb", [20, 20]), ("preset=thumb&w=10", [10, 20]), ("preset=wide", [50, 33]),
        ] {
            let header = try ImageHeader.parse(try daemon.get(origin.url(), options).body)
            #expect([header.width, header.height] == expected)
        }
        let named = try daemon.get(origin.url(), "preset=thumb")
        let spelt = try daemon.get(origin.url(), "w=20&h=20&fit=cover&output=webp")
        #expect(named["ETag"] == spelt["ETag"])
        let refusal = try daemon.get(origin.url(), "preset=other")
        #expect(refusal.status == 400)
        #expect(refusal.text.contains("thumb, wide"))
    }

    @Test func `a preset that is none keeps the daemon from starting`() throws {
        for preset in ["thumb", "thumb=w=0", "thumb=blurr=5"] {
            let error = #expect(throws: DaemonUnderTest.DidNotStart.self) {
                try DaemonUnderTest(["--options-presets", preset])
            }
            #expect(error?.log.contains("options.presets") == true)
        }
    }
}
