// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Synchronization
import TestSupport
import Testing

/// Answers in memory are found before anything else is asked, and they are fresh for as long as the original was.
@Suite("What the origin says to a trusted no-cache holds for every size from then on", .endToEnd)
struct TrustedReloadTests {
    private static let red = Pictures.flat(80, 40, [255, 0, 0])
    private static let green = Pictures.flat(80, 40, [0, 255, 0])
    private let shown = CurrentReply()
    private let origin: ScriptedOrigin
    private let daemon: DaemonUnderTest

    /// What the origin answers with: a picture, or a status.
    private final class CurrentReply: Sendable {
        private let state = Mutex<(picture: [UInt8], status: String?)>((red, nil))
        var now: (picture: [UInt8], status: String?) { state.withLock { $0 } }
        func becomes(_ picture: [UInt8] = [], status: String? = nil) {
            state.withLock { $0 = (picture, status) }
        }
    }

    init() throws {
        origin = ScriptedOrigin { [shown] peer in
            let (picture, status) = shown.now
            if let status { peer.answer(status) } else { peer.picture(picture) }
        }
        daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
    }

    private func get(_ width: Int) throws -> Connection.Reply { try daemon.get(origin.url(), "w=\(width)") }

    private func reload() throws -> Connection.Reply {
        try daemon.get(
            origin.url(), "w=50", fields: DaemonUnderTest.trusted + [("Cache-Control", "no-cache")])
    }

    private func isReady(_ reply: Connection.Reply) -> Bool {
        reply["Cache-Status"]?.hasSuffix("detail=memoryHit") == true
    }

    @Test func `other bytes`() throws {
        let before = try [get(50), get(60)]
        #expect(try isReady(get(60)))
        shown.becomes(Self.green)
        #expect(try reload().body != before[0].body)
        for (width, old) in zip([50, 60], before) {
            let reply = try get(width)
            #expect(reply.status == 200 && reply["ETag"] != old["ETag"] && reply.body != old.body)
            #expect(try isReady(get(width)))
        }
        #expect(origin.heads.count == 2)
    }

    @Test func `that it is gone`() throws {
        _ = try [get(50), get(60)]
        shown.becomes(status: "404 Not Found")
        #expect(try reload().status == 404)
        for width in [50, 60, 70] { #expect(try get(width).status == 404, "\(width)") }
    }

    @Test func `but not that it fails`() throws {
        _ = try [get(50), get(60)]
        shown.becomes(status: "503 Service Unavailable")
        _ = try reload()
        for width in [50, 60] { #expect(try isReady(get(width))) }
    }
}
