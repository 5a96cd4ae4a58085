// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A profile says for how long its origins' answers are kept", .endToEnd)
struct OriginCacheControlTests {
    private let folder = TemporaryFolder()

    private func profiles(_ lines: String...) throws -> String {
        let file = folder.path + "/origins.yaml"
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        return file
    }

    private func origin(_ fields: [String]) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            if peer.has("If-None-Match: \"a\"") {
                peer.answer("304 Not Modified", fields: ["ETag: \"a\""] + fields)
            } else if peer.target == "/missing" {
                peer.answer("404 Not Found", fields: fields)
            } else {
                peer.answer(
                    fields: ["Content-Type: image/png", "ETag: \"a\""] + fields,
                    body: Pictures.gradient(60, 40))
            }
        }
    }

    @Test func `its Cache-Control counts in place of the origin's, and clients are told it`() throws {
        let origin = origin(["Cache-Control: private, no-cache, no-store", "Expires: 0", "Age: 7000"])
        let file = try profiles(
            "shop:", "  match: '\(origin.url("/").absolute)'", "  cache-control: max-age=3600")
        let daemon = try DaemonUnderTest(["--origin-profiles", file])
        for width in [30, 40] {
            let reply = try daemon.get(origin.url("/a"), "w=\(width)")
            #expect(reply.status == 200 && reply["Cache-Control"] == "public, max-age=3600")
            #expect(reply["Age"].flatMap { Int($0) }.map { $0 < 60 } ?? true, "\(reply["Age"] ?? "")")
        }
        #expect(origin.heads.count == 1)
        let query = DaemonUnderTest.target(origin.url("/a"), "w=30").drop { $0 != "?" }
        let explained = try daemon.admin("/admin/explain\(query)").text
        #expect(
            explained.contains(
                #""profile":{"cache_control":"max-age=3600","is_private":false,"name":"shop"}"#),
            "\(explained)")
        // A failure goes by the origin's own words.
        for _ in 1...2 { #expect(try daemon.get(origin.url("/missing"), "w=30").status == 404) }
        #expect(origin.heads.count == 3)
    }

    @Test func `what its credentials opened stays private`() throws {
        let origin = origin(["Cache-Control: no-store"])
        let file = try profiles(
            "shop:", "  match: '\(origin.url("/").absolute)'", "  bearer: abc", "  cache-control: max-age=60")
        let daemon = try DaemonUnderTest(["--origin-profiles", file])
        #expect(try daemon.get(origin.url("/a"), "w=30")["Cache-Control"] == "private, max-age=60")
    }

    @Test func `a default counts for an origin that says nothing, and for no other`() throws {
        let (silent, plain) = (origin([]), origin(["Cache-Control: max-age=0"]))
        let file = try profiles(
            "shop:", "  match: ['\(silent.url("/").absolute)', '\(plain.url("/").absolute)']",
            "  default-cache-control: max-age=3600")
        let daemon = try DaemonUnderTest(["--origin-profiles", file])
        for width in [30, 40] {
            #expect(
                try daemon.get(silent.url("/a"), "w=\(width)")["Cache-Control"] == "public, max-age=3600")
            #expect(try daemon.get(plain.url("/a"), "w=\(width)").status == 200)
        }
        #expect(silent.heads.count == 1 && plain.heads.count == 2)
    }

    @Test func `once it is taken back, the next answer counts by the origin's words`() throws {
        let origin = origin(["Cache-Control: no-cache"])
        let place = "  match: '\(origin.url("/").absolute)'"
        let file = try profiles("shop:", place, "  cache-control: max-age=1")
        let daemon = try DaemonUnderTest(["--origin-profiles", file])
        #expect(try daemon.get(origin.url("/a"), "w=30")["Cache-Control"] == "public, max-age=1")
        _ = try profiles("shop:", place)
        #expect(
            try Patience.until {
                try daemon.get(origin.url("/a"), "w=30")["Cache-Control"] == "public, no-cache"
            })
    }

    @Test func `mistakes are named with their line`() throws {
        let file = try profiles(
            "a:", "  match: a.example", "  cache-control: max-age=1h",
            "b:", "  match: b.example", "  cache-control: max-age=60", "  default-cache-control: max-age=60",
            "c:", "  match: c.example", "  default-cache-control: [max-age=60]")
        let check = try PictorCommand(["check", "--origin-profiles", file])
        #expect(check.status == 78)
        for words in [
            ":3: a cache-control must be directives of Cache-Control",
            ":7: b has both cache-control and default-cache-control",
            ":10: c default-cache-control must be a text",
        ] { #expect(check.error.contains(words), "\(words): \(check.error)") }
    }
}
