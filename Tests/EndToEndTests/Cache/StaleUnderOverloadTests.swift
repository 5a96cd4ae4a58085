// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Whoever can be answered with a stale picture does not queue for a fetch", .endToEnd)
struct StaleUnderOverloadTests {
    private func permit(_ cacheControl: String, flags: [String] = []) throws -> OccupiedPermit {
        try OccupiedPermit(
            ["Cache-Control: \(cacheControl)", "Age: 100"], flags: ["--origin-queue-timeout", "2m"] + flags)
    }

    @Test func `it is served at once, marked, and refreshed when there is room`() throws {
        let permit = try permit("max-age=60, stale-if-error=3600")
        #expect(try permit.daemon.get(permit.origin.url(), "w=30").status == 200)
        let occupant = try permit.occupy()
        for width in [30, 20] {
            let reply = try permit.daemon.get(permit.origin.url(), "w=\(width)")
            #expect(reply.status == 200)
            #expect(reply["Cache-Status"]?.contains("ttl=-") == true)
            #expect(reply["Cache-Status"]?.hasSuffix("detail=stale") == true)
        }
        #expect(permit.asked.count == 1)
        permit.release.signal()
        #expect(try occupant.reply().status == 200)
        #expect(permit.asked.wait(for: 2))
    }

    @Test(arguments: ["max-age=60, must-revalidate", "max-age=60, stale-if-error=0", "no-cache"])
    func `what must not be served stale queues, and is refused where there is no room`(directives: String)
        throws
    {
        let permit = try permit(directives, flags: ["--origin-queue-length", "0"])
        #expect(try permit.daemon.get(permit.origin.url(), "w=30").status == 200)
        let occupant = try permit.occupy()
        let refused = try permit.daemon.get(permit.origin.url(), "w=30")
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] != nil)
        permit.release.signal()
        #expect(try occupant.reply().status == 200)
        // The permit comes free a moment after the answer.
        #expect(try Patience.until { try permit.daemon.get(permit.origin.url(), "w=30").status == 200 })
    }
}
