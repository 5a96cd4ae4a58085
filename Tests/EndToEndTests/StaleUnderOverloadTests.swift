// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Whoever can be answered with a stale picture does not queue for a fetch", .endToEnd)
struct StaleUnderOverloadTests {
    private func world(_ cacheControl: String, flags: [String] = []) throws -> OccupiedPermit {
        try OccupiedPermit(
            ["Cache-Control: \(cacheControl)", "Age: 100"], flags: ["--origin-queue-timeout", "2m"] + flags)
    }

    @Test func `it is served at once, marked, and refreshed when there is room`() throws {
        let world = try world("max-age=60, stale-if-error=3600")
        #expect(try world.daemon.get(world.origin.url(), "w=30").status == 200)
        let occupant = try world.occupy()
        for width in [30, 20] {
            let reply = try world.daemon.get(world.origin.url(), "w=\(width)")
            #expect(reply.status == 200)
            #expect(reply["Cache-Status"]?.contains("ttl=-") == true)
            #expect(reply["Cache-Status"]?.hasSuffix("detail=stale") == true)
        }
        #expect(world.asked.count == 1)
        world.release.signal()
        #expect(try occupant.reply().status == 200)
        #expect(world.asked.wait(for: 2))
    }

    @Test(arguments: ["max-age=60, must-revalidate", "max-age=60, stale-if-error=0", "no-cache"])
    func `what must not be served stale queues, and is refused where there is no room`(directives: String)
        throws
    {
        let world = try world(directives, flags: ["--origin-queue-length", "0"])
        #expect(try world.daemon.get(world.origin.url(), "w=30").status == 200)
        let occupant = try world.occupy()
        let refused = try world.daemon.get(world.origin.url(), "w=30")
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        world.release.signal()
        #expect(try occupant.reply().status == 200)
        // The permit comes free a moment after the answer.
        #expect(try Patience.until { try world.daemon.get(world.origin.url(), "w=30").status == 200 })
    }
}
