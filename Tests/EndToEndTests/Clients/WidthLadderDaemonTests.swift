// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("With a ladder of widths, what is asked for gets the next step up", .endToEnd)
struct WidthLadderDaemonTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(600, 400)) }

    @Test func `all widths between two steps are one rendition`() throws {
        let daemon = try DaemonUnderTest(["--options-width-ladder", "64,128,320"])
        var tags: Set<String> = []
        for options in ["w=65", "w=100", "w=128", "w=64&dpr=2", "w=33&dpr=3.5", "dpr=2&w=60"] {
            let reply = try daemon.get(origin.url(), options)
            #expect(try pictureSize(reply) == [128, 85])
            tags.insert(try #require(reply["ETag"]))
        }
        #expect(tags.count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 1)
        #expect(origin.heads.count == 1)
    }

    @Test func `the box keeps its shape at either dialect, and the last step is the largest`() throws {
        let daemon = try DaemonUnderTest([
            "--options-width-ladder", "64,128,320", "--options-presets", "thumb=w=20&h=20&fit=cover",
        ])
        for (options, expected) in [
            ("w=100&h=100&fit=cover", [128, 128]), ("w=60&h=30&fit=cover", [64, 32]),
            ("w=500&h=250&fit=cover", [320, 160]), ("h=100", [192, 128]), ("w=7%25", [60, 40]),
            ("preset=thumb", [20, 20]), ("preset=thumb&dpr=2", [64, 64]), ("", [600, 400]),
        ] {
            #expect(try pictureSize(daemon.get(origin.url(), options)) == expected, "\(options)")
        }
        let source = origin.url().absolute
        #expect(try pictureSize(daemon.get("/?url=\(source)&w=100&h=50&fit=cover")) == [128, 64])
        #expect(try pictureSize(daemon.get("/_next/image?url=\(source)&w=100&q=75")) == [100, 67])
    }

    @Test func `explain and srcset know it`() throws {
        let daemon = try DaemonUnderTest(["--options-width-ladder", "64,128,320"])
        let target = DaemonUnderTest.target(origin.url(), "w=100").replacing("/img?", with: "/admin/explain?")
        let explanation = try daemon.admin(target).text
        #expect(explanation.contains("\"recipe\":\"w=128\""), "\(explanation)")
        let report = try daemon.get(origin.url(), "output=json&json=srcset").text
        for width in [64, 128, 320] { #expect(report.contains("output=auto\\u0026w=\(width) \(width)w")) }
        #expect(!report.contains("480w") && !report.contains("600w"))
    }

    @Test func `a box beyond the largest size is made smaller, in its shape`() throws {
        let daemon = try DaemonUnderTest([
            "--options-maximum-width", "300", "--options-maximum-height", "150", "--options-presets",
            "wide=w=400",
        ])
        for (options, expected) in [
            ("w=500", [225, 150]), ("w=200&dpr=8", [225, 150]), ("w=100", [100, 67]), ("h=9999", [225, 150]),
            ("w=500&h=500&fit=cover", [150, 150]), ("w=16384&h=100&fit=cover&we=0", [300, 2]),
            ("preset=wide", [400, 267]), ("", [600, 400]),
        ] {
            #expect(try pictureSize(daemon.get(origin.url(), options)) == expected, "\(options)")
        }
        let tags = try ["w=500", "w=200&dpr=8", "w=301"].map { try daemon.get(origin.url(), $0)["ETag"] }
        #expect(Set(tags).count == 1)
        let source = origin.url().absolute
        #expect(try pictureSize(daemon.get("/?url=\(source)&w=999")) == [225, 150])
        let report = try daemon.get(origin.url(), "output=json&json=srcset").text
        #expect(report.contains(" 225w") && !report.contains("320w"), "\(report)")
    }

    @Test func `a step that is none keeps the daemon from starting`() {
        for ladder in ["0", "16385", "a", "100,-1"] {
            let error = #expect(throws: DaemonUnderTest.DidNotStart.self) {
                try DaemonUnderTest(["--options-width-ladder", ladder])
            }
            #expect(error?.log.contains("options.width-ladder") == true)
        }
    }
}
