// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Scripts of pages", .endToEnd, .timeLimit(.minutes(5)))
struct CrossOriginTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    private let allow = "Access-Control-Allow-Origin"

    @Test func `of every page may read pictures and refusals by default`() throws {
        let daemon = try DaemonUnderTest()
        for fields in [[], [("Origin", "https://shop.example")]] {
            for _ in 1...2 {
                let reply = try daemon.get(origin.url("/a"), "w=30", fields: fields)
                #expect(reply.status == 200 && reply[allow] == "*" && reply["Vary"] == nil)
            }
            let refusal = try daemon.get("/img?w=1", fields: fields)
            #expect(refusal.status == 400 && refusal[allow] == "*")
            let tag = try #require(try daemon.get(origin.url("/a"), "w=30")["ETag"])
            let same = try daemon.get(origin.url("/a"), "w=30", fields: fields + [("If-None-Match", tag)])
            #expect(same.status == 304 && same[allow] == "*")
        }
    }

    @Test func `of the sites that are named may read them, by the cache and on the long way`() throws {
        let daemon = try DaemonUnderTest(["--cors-allow", "https://shop.example,https://*.shop.example:8443"])
        let table: [(origin: [(String, String)], isAllowed: Bool)] = [
            ([("Origin", "https://shop.example")], true),
            ([("Origin", "https://www.shop.example:8443")], true),
            ([("Origin", "https://a.b.shop.example:8443")], true),
            ([("Origin", "http://shop.example")], false),
            ([("Origin", "https://shop.example:8443")], false),
            ([("Origin", "https://www.shop.example")], false),
            ([("Origin", "https://evilshop.example")], false),
            ([("Origin", "https://shop.example.evil.test")], false),
            ([("Origin", "https://evil.test/https://shop.example")], false),
            ([("Origin", "null")], false),
            ([("Origin", "https://shop.example"), ("Origin", "https://shop.example")], false),
            ([], false),
        ]
        for round in 1...2 {
            for (fields, isAllowed) in table {
                let expected = isAllowed ? fields[0].1 : nil
                for query in ["w=30", "w=31&output=auto"] {
                    let reply = try daemon.get(origin.url("/a"), query, fields: fields)
                    #expect(reply.status == 200 && reply[allow] == expected, "\(round): \(fields)")
                    #expect(reply["Vary"] == (query == "w=30" ? "Origin" : "Accept, Origin"))
                }
                let refusal = try daemon.get("/img?w=1", fields: fields)
                #expect(refusal[allow] == expected && refusal["Vary"] == "Origin", "\(fields)")
            }
        }
        #expect(try daemon.metric("pictor_requests_total", "outcome=\"memoryHit\"") >= 20)
    }

    @Test func `of no page may read them where none is named`() throws {
        let daemon = try DaemonUnderTest(["--cors-allow", ""])
        for _ in 1...2 {
            let reply = try daemon.get(origin.url("/a"), "w=30", fields: [("Origin", "https://shop.example")])
            #expect(reply.status == 200 && reply[allow] == nil && reply["Vary"] == nil)
        }
    }

    @Test func `ask beforehand by OPTIONS, which fetches nothing`() throws {
        let folder = TemporaryFolder()
        try "an-example-key-that-nobody-may-use\n".write(
            toFile: folder.path + "/key", atomically: true, encoding: .utf8)
        let daemon = try DaemonUnderTest([
            "--cors-allow", "https://shop.example", "--cors-maximum-age", "10m", "--signatures-required",
            "all",
            "--signatures-keys-file", folder.path + "/key",
        ])
        let preflight = [
            ("Access-Control-Request-Method", "GET"), ("Access-Control-Request-Headers", "if-none-match"),
        ]
        for target in [DaemonUnderTest.target(origin.url("/a")), "*"] {
            let reply = try daemon.get(
                target, method: "OPTIONS", fields: preflight + [("Origin", "https://shop.example")])
            #expect(reply.status == 204 && reply["Allow"] == "GET, HEAD, OPTIONS")
            #expect(reply[allow] == "https://shop.example" && reply["Vary"] == "Origin")
            #expect(reply["Access-Control-Allow-Methods"] == "GET, HEAD")
            #expect(reply["Access-Control-Allow-Headers"] == "*")
            #expect(reply["Access-Control-Max-Age"] == "600")
            let other = try daemon.get(
                target, method: "OPTIONS", fields: preflight + [("Origin", "https://evil.test")])
            #expect(
                other.status == 204 && other["Access-Control-Allow-Methods"] == nil && other[allow] == nil)
        }
        #expect(try daemon.get("/nothing", method: "OPTIONS").status == 404)
        #expect(origin.heads.isEmpty)
    }
}
