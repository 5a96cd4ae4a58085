// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Only pages that are allowed may show pictures", .endToEnd, .timeLimit(.minutes(5)))
struct RefererTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `at every dialect, by a cached answer and on the long way`() throws {
        let daemon = try DaemonUnderTest(["--referers-allow", "example.org,*.example.org"])
        let query = DaemonUnderTest.target(origin.url("/a"), "w=30&q=75").drop { $0 != "?" }
        for path in ["/img", "/", "/_next/image"] {
            for round in 1...2 {
                for (fields, status) in [
                    ([("Referer", "https://www.example.org/page")], 200), ([], 200),
                    ([("Referer", "https://evil.test/")], 403), ([("Origin", "https://evil.test")], 403),
                    ([("Origin", "https://example.org"), ("Referer", "https://evil.test/")], 403),
                    ([("Referer", "https://example.org/"), ("Referer", "https://example.org/")], 403),
                ] {
                    for method in ["GET", "HEAD"] {
                        let reply = try daemon.get(path + query, method: method, fields: fields)
                        #expect(reply.status == status, "\(path), \(round): \(fields)")
                        if status == 403 { #expect(reply["Cache-Control"] == "no-store") }
                    }
                }
            }
        }
        let refusal = try daemon.get(
            "/img\(query)&default=https://elsewhere.example/", fields: [("Referer", "https://evil.test/")])
        #expect(refusal.status == 403 && refusal.text.contains("\"error\":\"referer_refused\""))
        #expect(!refusal.text.contains("evil"))
        #expect(origin.heads.count == 1)
        #expect(try daemon.metric("pictor_requests_total", "outcome=\"memoryHit\"") >= 6)
    }

    @Test func `who says nothing may be refused too`() throws {
        let daemon = try DaemonUnderTest([
            "--referers-allow", "example.org", "--referers-allow-absent", "false",
        ])
        let good = [("Referer", "https://example.org/")]
        for _ in 1...2 {
            #expect(try daemon.get(origin.url("/a"), "w=30", fields: good).status == 200)
            #expect(try daemon.get(origin.url("/a"), "w=30").status == 403)
            #expect(try daemon.get(origin.url("/a"), "w=30", fields: [("Origin", "null")]).status == 403)
        }
    }
}
