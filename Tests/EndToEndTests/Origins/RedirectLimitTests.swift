// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Redirects are followed as often as the settings say", .endToEnd)
struct RedirectLimitTests {
    /// `/N` is N redirects away from a picture.
    private let origin = ScriptedOrigin { peer in
        let left = Int(peer.target.dropFirst()) ?? 0
        if left == 0 { return peer.picture(Pictures.gradient(6, 4)) }
        peer.redirect(to: "/\(left - 1)")
    }

    @Test(arguments: [0, 1, 5])
    func `one more is a 508, and is not asked for`(limit: Int) throws {
        let daemon = try DaemonUnderTest(["--origin-maximum-redirects", "\(limit)"])
        #expect(try daemon.get(origin.url("/\(limit)"), "w=3").status == 200)
        #expect(origin.heads.count == limit + 1)
        let reply = try daemon.get(origin.url("/\(limit + 1)"), "w=3")
        #expect(reply.status == 508)
        #expect(reply.text.contains("\"error\":\"too_many_redirects\""), "\(reply.text)")
        #expect(origin.heads.count == 2 * (limit + 1))
    }
}
