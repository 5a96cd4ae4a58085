// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("An answer and the metrics say how a JPEG was decoded", .endToEnd)
struct FastLaneTests {
    private static func jpeg() throws -> [UInt8] {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(300, 200)) }
        return try DaemonUnderTest().get(origin.url(), "output=jpg").body
    }

    private func decoding(_ reply: Connection.Reply) -> Substring? {
        reply["Server-Timing"]?.split(separator: ", ").first { $0.hasPrefix("decode;") }
    }

    @Test func `one that becomes smaller takes the fast lane, and libvips makes the others`() throws {
        let file = try Self.jpeg()
        let origin = ScriptedOrigin { $0.picture(file) }
        let daemon = try DaemonUnderTest()
        #expect(decoding(try daemon.get(origin.url(), "w=90"))?.hasPrefix("decode;desc=planar;dur=") == true)
        #expect(decoding(try daemon.get(origin.url(), "w=90&trim=10"))?.hasPrefix("decode;dur=") == true)
        #expect(try daemon.metric("pictor_jpeg_renders_total", "lane=\"planar\"") == 1)
        #expect(try daemon.metric("pictor_jpeg_renders_total", "lane=\"libvips\"") == 1)
    }

    @Test func `a setting turns it off, and makes other renditions`() throws {
        let file = try Self.jpeg()
        let origin = ScriptedOrigin { $0.picture(file) }
        let fast = try DaemonUnderTest().get(origin.url(), "w=90")
        let plain = try DaemonUnderTest(["--decoder-jpeg-lane", "false"]).get(origin.url(), "w=90")
        #expect(decoding(plain)?.hasPrefix("decode;dur=") == true)
        #expect(plain["ETag"] != fast["ETag"])
    }

    @Test func `what explain foretells is what happens`() throws {
        let file = try Self.jpeg()
        let origin = ScriptedOrigin { $0.picture(file) }
        let daemon = try DaemonUnderTest()
        _ = try daemon.get(origin.url(), "w=50")
        for (query, isFast) in [("w=90", true), ("w=90&trim=10", false), ("w=300", false)] {
            let target = DaemonUnderTest.target(origin.url(), query).replacing(
                "/img?", with: "/admin/explain?")
            let report = try JSONSerialization.jsonObject(with: Data(try daemon.admin(target).body))
            let rendition = (report as? [String: Any])?["rendition"] as? [String: Any]
            #expect(rendition?["jpeg_lane"] as? Bool == isFast, "\(query)")
            let decoding = decoding(try daemon.get(origin.url(), query))
            #expect(decoding?.contains("desc=planar") == isFast, "\(query)")
        }
    }
}
