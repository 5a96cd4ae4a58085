// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("An origin that asks Pictor for what it is asked for is told so", .endToEnd)
struct RequestLoopTests {
    private let origin = ScriptedOrigin {
        $0.answer(
            fields: ["Content-Type: image/png", "Cache-Control: no-store"], body: Pictures.gradient(8, 8))
    }

    @Test func `a request with the mark of its own source is a 508`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/a"), "w=4").status == 200)
        let mark = try #require(origin.heads.last?.value(of: "CDN-Loop"))
        #expect(mark.hasPrefix("pictor-"))
        for options in ["w=4", "w=5", "default=1", "output=raw"] {
            let reply = try daemon.get(
                origin.url("/a"), options, fields: [("CDN-Loop", "\(mark), cdn.example")])
            #expect(reply.status == 508 && reply.text.contains("request_loop"), "\(options): \(reply.text)")
            #expect(reply["Cache-Control"] == "no-store", "\(options)")
        }
        #expect(origin.heads.count == 1)
    }

    /// A proxy that asks Pictor for a longer URL each time, and passes its mark on.
    @Test(.timeLimit(.minutes(1))) func `a chain of ever longer URLs ends soon`() throws {
        let port = Mutex<UInt16>(0)
        let proxy = ScriptedOrigin { peer in
            let mark = peer.head.value(of: "CDN-Loop") ?? ""
            let longer = SourceURL(
                scheme: .http, host: "127.0.0.1", port: UInt16(peer.port) ?? 0, target: peer.target + "x")
            let connection = try? Connection(port: port.withLock { $0 })
            try? connection?.request(DaemonUnderTest.target(longer, "w=4"), fields: [("CDN-Loop", mark)])
            let reply = try? connection?.reply()
            peer.answer("\(reply?.status ?? 599) Whatever")
        }
        // Were it to go on, the last would wait for a permit, and all of them for the last.
        let daemon = try DaemonUnderTest(["--origin-first-byte-timeout", "10m", "--origin-timeout", "10m"])
        port.withLock { $0 = daemon.port }
        #expect(try daemon.get(proxy.url("/a"), "w=4").status == 502)
        #expect(proxy.heads.count == 4)
    }

    @Test func `a request with the mark of another source is answered`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/a"), "w=4").status == 200)
        let mark = try #require(origin.heads.last?.value(of: "CDN-Loop"))
        for value in [mark, "cdn.example", "pictor-0"] {
            #expect(try daemon.get(origin.url("/b"), "w=4", fields: [("CDN-Loop", value)]).status == 200)
        }
        #expect(origin.heads.last?.value(of: "CDN-Loop") != mark)
    }
}
