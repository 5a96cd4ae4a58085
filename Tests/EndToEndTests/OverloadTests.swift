// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Whoever must be refused is refused before it costs anything", .endToEnd)
struct OverloadTests {
    /// No queue behind the permit.
    private func world() throws -> OccupiedPermit {
        try OccupiedPermit(
            ["Cache-Control: max-age=60"],
            flags: ["--options-default-hosts", "example.com", "--origin-queue-length", "0"])
    }

    @Test func `the origin never hears of it, and what is held is served`() throws {
        let world = try world()
        #expect(try world.daemon.get(world.origin.url("/held"), "w=30").status == 200)
        let occupant = try world.occupy()
        for number in 0..<50 {
            let refused = try world.daemon.get(world.origin.url("/\(number)"), "w=30")
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] == "1")
            #expect(refused["Cache-Control"] == "no-store")
            #expect(refused.text.contains("\"error\":\"overloaded\""))
        }
        #expect(try world.daemon.get(world.origin.url("/held"), "w=30").status == 200)
        // Another size needs no fetch.
        #expect(try world.daemon.get(world.origin.url("/held"), "w=20").status == 200)
        #expect(world.asked.count == 1)
        world.release.signal()
        #expect(try occupant.reply().status == 200)
        // The permit comes free a moment after the answer.
        #expect(try Patience.until { try world.daemon.get(world.origin.url("/0"), "w=30").status == 200 })
    }

    @Test func `it is told as a refusal that came later would be`() throws {
        let world = try world()
        let occupant = try world.occupy()
        let target = DaemonUnderTest.target(world.origin.url("/new"), "w=30")
        // One connection: it is kept, and a HEAD has no content.
        let connection = try Connection(port: world.daemon.port)
        try connection.request(target, method: "HEAD")
        let head = try connection.reply(bodiless: true)
        #expect(head.status == 503)
        try connection.request(target)
        #expect(try connection.reply().status == 503)
        // Who wants to be sent elsewhere is, and nobody else after him.
        for name in ["default", "%64efault"] {
            let elsewhere = try world.daemon.get(
                world.origin.url("/new"), "w=30&\(name)=http%3A%2F%2Fexample.com%2Fa.png")
            #expect(elsewhere.status == 302)
            #expect(elsewhere["Location"] == "http://example.com/a.png")
        }
        try connection.request(target)
        #expect(try connection.reply().status == 503)
        // What is wrong with a request is told before there is no room for it.
        #expect(try world.daemon.get(world.origin.url("/new"), "w=no").status == 400)
        #expect(world.asked.count == 0)
        world.release.signal()
        #expect(try occupant.reply().status == 200)
    }
}
