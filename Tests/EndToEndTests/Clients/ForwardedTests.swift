// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Behind trusted proxies a client is known by its own address", .endToEnd, .timeLimit(.minutes(5)))
struct ForwardedTests {
    /// The peers in the access log, for requests with these fields each. Every connection may have another event loop, so
    /// the lines come in any order.
    private func peers(
        _ flags: [String], _ requests: [(source: String, fields: [(String, String)])]
    ) throws -> [String] {
        let daemon = try DaemonUnderTest(flags)
        for (number, request) in requests.enumerated() {
            _ = try daemon.get("/nothing?\(number).", fields: request.fields, from: request.source)
        }
        let lines = try #require(daemon.accessLog(of: requests.count))
        return try requests.indices.map { number in
            let line = try #require(lines.first { $0.contains("/nothing?\(number).") })
            return try #require(line.firstMatch(of: /"peer":"([^"]*)"/).map { String($0.1) })
        }
    }

    @Test func `the log tells the client that a trusted proxy names, and the peer of everybody else`() throws
    {
        let both = [("X-Forwarded-For", "6.6.6.6, 203.0.113.9, 127.0.0.3"), ("Forwarded", "for=203.0.113.8")]
        let found = try peers(
            [
                "--server-trusted-proxies", "127.0.0.2,127.0.0.3", "--server-client-field", "x-forwarded-for",
            ],
            [
                ("127.0.0.2", both), ("127.0.0.4", both), ("127.0.0.2", []),
                ("127.0.0.2", [("X-Forwarded-For", "unknown")]),
                ("127.0.0.2", [("X-Forwarded-For", "6.6.6.6"), ("x-forwarded-for", "[2001:db8::1]:99")]),
                ("127.0.0.2", [("X-Forwarded-For", "nobody, 127.0.0.3")]),
            ])
        #expect(found[0] == "203.0.113.9")
        #expect(found[1].hasPrefix("127.0.0.4:"))
        #expect(found[2].hasPrefix("127.0.0.2:"))
        #expect(found[3].hasPrefix("127.0.0.2:"))
        #expect(found[4] == "[2001:db8::1]:99")
        #expect(found[5] == "127.0.0.3")
    }

    @Test func `Forwarded counts where it is named, and then alone`() throws {
        let found = try peers(
            ["--server-trusted-proxies", "127.0.0.2", "--server-client-field", "forwarded"],
            [
                (
                    "127.0.0.2",
                    [("Forwarded", "for=\"203.0.113.9:4711\";proto=https"), ("X-Forwarded-For", "6.6.6.6")]
                ),
                ("127.0.0.2", [("X-Forwarded-For", "6.6.6.6")]),
            ])
        #expect(found[0] == "203.0.113.9:4711")
        #expect(found[1].hasPrefix("127.0.0.2:"))
    }

    @Test func `without the setting no field counts`() throws {
        let found = try peers(
            [], [("127.0.0.1", [("X-Forwarded-For", "6.6.6.6"), ("Forwarded", "for=6.6.6.6")])])
        #expect(found[0].hasPrefix("127.0.0.1:"))
    }

    @Test func `a field that nobody is trusted to write ends the start`() {
        for flags in [
            ["--server-client-field", "forwarded"], ["--server-proxy-protocol", "true"],
            ["--server-trusted-proxies", "10.0.0.1/8"], ["--server-trusted-proxies", "everybody"],
        ] {
            #expect(throws: DaemonUnderTest.DidNotStart.self, "\(flags)") { try DaemonUnderTest(flags) }
        }
    }

    @Test func `explain tells whose the request would be`() throws {
        let daemon = try DaemonUnderTest([
            "--server-trusted-proxies", "127.0.0.0/8", "--server-client-field", "x-forwarded-for",
        ])
        let reply = try daemon.admin(
            "/admin/explain?url=http%3A%2F%2Forigin.example%2Fa",
            fields: [("X-Forwarded-For", "203.0.113.9, 127.0.0.7")])
        let report = try #require(try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any])
        #expect((report["asked"] as? [String: Any])?["client"] as? String == "203.0.113.9")
    }
}
