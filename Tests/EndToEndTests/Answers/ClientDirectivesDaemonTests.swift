// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Trusted clients may say how fresh an answer has to be, others are not heard", .endToEnd)
struct ClientDirectivesDaemonTests {
    private let origin = ScriptedOrigin { peer in
        guard peer.has("If-None-Match: \"one\"") else {
            return peer.picture(
                Pictures.gradient(60, 40), maxAge: 3600, fields: ["ETag: \"one\"", "Age: 600"])
        }
        peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
    }

    private let daemon: DaemonUnderTest

    init() throws { daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting) }

    private func get(_ directives: String, _ path: String = "/a") throws
        -> Connection.Reply
    {
        let fields = [("Cache-Control", directives)] + DaemonUnderTest.trusted
        return try daemon.get(origin.url(path), "w=30", fields: fields)
    }

    @Test func `no-cache has the origin asked although the original is fresh`() throws {
        _ = try daemon.get(origin.url("/a"), "w=30")
        let reply = try get("no-cache")
        #expect(reply.status == 200)
        #expect(reply["Cache-Status"]?.hasPrefix("pictor;fwd=request;fwd-status=304;") == true)
        #expect(reply["Cache-Status"]?.hasSuffix(";detail=revalidated") == true)
        #expect(origin.heads.count == 2)
    }

    @Test func `nobody else is heard`() throws {
        _ = try daemon.get(origin.url("/a"), "w=30")
        let strangers = [
            [], [("Authorization", "Bearer \(DaemonUnderTest.token.dropLast())x")],
            [("Authorization", "Basic eDp5")],
        ]
        for directive in ["no-cache", "max-age=0", "min-fresh=99999", "only-if-cached", "no-store"] {
            for fields in strangers {
                let reply = try daemon.get(
                    origin.url("/a"), "w=30", fields: [("Cache-Control", directive)] + fields)
                #expect(reply["Cache-Status"]?.hasSuffix(";detail=memoryHit") == true, "\(directive)")
            }
        }
        #expect(
            try daemon.get(origin.url("/b"), "w=30", fields: [("Cache-Control", "only-if-cached")]).status
                == 200)
        #expect(origin.heads.count == 2)
    }

    @Test func `only-if-cached never asks the origin`() throws {
        let cold = try get("only-if-cached")
        #expect(cold.status == 504)
        #expect(cold.text.contains("\"not_held\""))
        #expect(origin.heads.isEmpty)
        _ = try daemon.get(origin.url("/a"), "w=30")
        #expect(try get("only-if-cached").status == 200)
        #expect(try get("only-if-cached, no-cache").status == 504)
        // Another size of what is held may be made without asking anybody.
        let fields = DaemonUnderTest.trusted + [("Cache-Control", "only-if-cached")]
        #expect(try daemon.get(origin.url("/a"), "w=20", fields: fields).status == 200)
        #expect(origin.heads.count == 1)
    }

    @Test func `the age and what is left of it are judged`() throws {
        for (number, (directive, isAsked)) in [
            ("max-age=10", true), ("max-age=1000", false), ("min-fresh=3599", true), ("min-fresh=60", false),
            ("max-age=x", true), ("x-unknown=1", false),
        ].enumerated() {
            _ = try daemon.get(origin.url("/\(number)"), "w=30")
            let before = origin.heads.count
            #expect(try get(directive, "/\(number)").status == 200)
            #expect(origin.heads.count == before + (isAsked ? 1 : 0), "\(directive)")
        }
    }

    @Test func `max-stale is content with what is stale`() throws {
        let stale = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40), maxAge: 0, fields: ["Age: 10"]) }
        let fields = DaemonUnderTest.trusted + [("Cache-Control", "max-stale=600")]
        _ = try daemon.get(stale.url(), "w=30")
        let reply = try daemon.get(stale.url(), "w=30", fields: fields)
        #expect(reply["Cache-Status"]?.hasSuffix(";detail=stale") == true)
        #expect(stale.heads.count == 1)
    }

    @Test func `no-cache asks again after a remembered failure`() throws {
        let failing = ScriptedOrigin { $0.answer("404 Not Found") }
        let fields = DaemonUnderTest.trusted + [("Cache-Control", "no-cache")]
        for count in 1...2 {
            #expect(try daemon.get(failing.url(), "w=30", fields: fields).status == 404)
            #expect(failing.heads.count == count)
        }
    }
}
