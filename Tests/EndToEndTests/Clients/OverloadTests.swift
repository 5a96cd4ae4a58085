// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Whoever must be refused is refused before it costs anything", .endToEnd)
struct OverloadTests {
    /// No queue behind the permit.
    private func permit() throws -> OccupiedPermit {
        try OccupiedPermit(
            ["Cache-Control: max-age=60"],
            flags: ["--options-default-hosts", "example.com", "--origin-queue-length", "0"])
    }

    @Test func `the origin never hears of it, and what is held is served`() throws {
        let permit = try permit()
        #expect(try permit.daemon.get(permit.origin.url("/held"), "w=30").status == 200)
        let occupant = try permit.occupy()
        for number in 0..<50 {
            let refused = try permit.daemon.get(permit.origin.url("/\(number)"), "w=30")
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "1")
            #expect(refused["Cache-Control"] == "no-store")
            #expect(refused.text.contains("\"error\":\"overloaded\""))
        }
        #expect(try permit.daemon.get(permit.origin.url("/held"), "w=30").status == 200)
        // Another size needs no fetch.
        #expect(try permit.daemon.get(permit.origin.url("/held"), "w=20").status == 200)
        #expect(permit.asked.count == 1)
        permit.release.signal()
        #expect(try occupant.reply().status == 200)
        // The permit comes free a moment after the answer.
        #expect(try Patience.until { try permit.daemon.get(permit.origin.url("/0"), "w=30").status == 200 })
    }

    @Test func `it is told as a refusal that came later would be`() throws {
        let permit = try permit()
        let occupant = try permit.occupy()
        let target = DaemonUnderTest.target(permit.origin.url("/new"), "w=30")
        // One connection: it is kept, and a HEAD has no content.
        let connection = try Connection(port: permit.daemon.port)
        try connection.request(target, method: "HEAD")
        let head = try connection.reply(bodiless: true)
        #expect(head.status == 503)
        try connection.request(target)
        #expect(try connection.reply().status == 503)
        // Who wants to be sent elsewhere is, and nobody else after him.
        for name in ["default", "%64efault"] {
            let elsewhere = try permit.daemon.get(
                permit.origin.url("/new"), "w=30&\(name)=http%3A%2F%2Fexample.com%2Fa.png")
            #expect(elsewhere.status == 302)
            #expect(elsewhere["Location"] == "http://example.com/a.png")
        }
        try connection.request(target)
        #expect(try connection.reply().status == 503)
        // What is wrong with a request is told before there is no room for it.
        #expect(try permit.daemon.get(permit.origin.url("/new"), "w=no").status == 400)
        #expect(permit.asked.count == 0)
        permit.release.signal()
        #expect(try occupant.reply().status == 200)
    }
}
