// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@Suite("Transfers that trickle do not keep others from theirs", .endToEnd, .timeLimit(.minutes(2)))
struct TricklingOriginTests {
    private static let picture = Pictures.gradient(60, 40)

    /// Sends a picture so slowly that it just escapes `origin.idle-timeout`'s rate, or nothing at all.
    private static func trickle(_ peer: Peer) {
        if peer.target.hasPrefix("/silent") { return peer.waitForHangup() }
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 1000000\r\n\r\n")
        while !peer.hangsUp(within: 200), peer.send([UInt8](repeating: 0, count: 600)) {}
        peer.close()
    }

    private static let slow = ["/trickle", "/silent"]

    /// Four ports of one attacker take all that the defaults give: 128 permits, 32 a host.
    @Test(arguments: slow, ["127.0.0.66", "127.0.0.1"])
    func `a stranger's slow fetches leave permits for others, even where all come from one address`(
        path: String, stranger: String
    ) throws {
        let origins = (0..<4).map { _ in ScriptedOrigin { Self.trickle($0) } }
        let good = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        var clients: [Connection] = []
        for number in 0..<256 {
            let connection = try Connection(port: daemon.port, from: stranger)
            let url = origins[number % 4].url("\(path)/\(number)")
            try connection.request(DaemonUnderTest.target(url, "w=30"))
            clients.append(connection)
        }
        #expect(
            try Patience.until { try daemon.metric("pictor_fetch_queue_length") >= 100 })
        for number in 0..<8 {
            // A job that waits for ten seconds in the queue is refused.
            let reply = try daemon.get(good.url("/\(number)"), "w=30")
            #expect(reply.status == 200, "\(reply.text)")
        }
        withExtendedLifetime(clients) {}
    }

    @Test func `a transfer that is slow keeps its permit as long as nobody waits for one`() throws {
        let origin = ScriptedOrigin { peer in
            peer.send(
                "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nCache-Control: max-age=60\r\nContent-Length: "
                    + "\(Self.picture.count)\r\n\r\n")
            // Some three seconds.
            for start in stride(from: 0, to: Self.picture.count, by: max(1, Self.picture.count / 15)) {
                if peer.hangsUp(within: 200) { break }
                let end = min(Self.picture.count, start + max(1, Self.picture.count / 15))
                peer.send(Self.picture[start..<end])
            }
        }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try daemon.metric("pictor_origin_fetches_ended_total") == 0)
    }
}
