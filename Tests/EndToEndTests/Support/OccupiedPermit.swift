// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// A daemon with one permit for fetches, which a request for `/slow` has until it is let go.
struct OccupiedPermit {
    private static let picture = Pictures.gradient(60, 40)

    let asked = Latch()
    let slow = Latch()
    let release = Latch()
    let origin: ScriptedOrigin
    let daemon: DaemonUnderTest

    /// - Parameter fields: of the origin's answers.
    init(_ fields: [String], flags: [String]) throws {
        origin = ScriptedOrigin { [asked, slow, release] peer in
            if peer.target == "/slow" {
                slow.signal()
                release.wait()
            } else {
                asked.signal()
            }
            peer.answer(fields: fields, body: Self.picture)
        }
        daemon = try DaemonUnderTest(
            [
                "--origin-maximum-fetches", "1", "--origin-first-byte-timeout", "2m", "--origin-timeout",
                "3m",
            ] + flags)
    }

    /// The connection on which the permit is being waited for.
    func occupy() throws -> Connection {
        let connection = try Connection(port: daemon.port)
        try connection.request(DaemonUnderTest.target(origin.url("/slow"), "w=30"))
        #expect(slow.wait())
        return connection
    }
}
