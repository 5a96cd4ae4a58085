// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A decoder that is killed from outside says nothing of the picture it had", .endToEnd)
struct KilledDecoderTests {
    /// Takes its encoder seconds, and less than a minute on a machine with much else to do.
    private static let picture = Pictures.noise(160, 160)

    /// Kills all decoders while one of them has a job, as the kernel does that is out of memory.
    private func kill(_ daemon: DaemonUnderTest, after kills: Int, _ signal: Int32) throws {
        #expect(
            try Patience.until {
                // One kill may have cost the job two processes: the next one can have it before all are killed.
                try daemon.metric("pictor_decoder_kills_total") >= kills
                    && daemon.metric("pictor_decoders_busy") == 1
            })
        for pid in daemon.decoders { Foundation.kill(pid, signal) }
    }

    @Test func `the picture is made by another one, also after the second kill`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest(["--encoder-avif-effort", "9", "--decoder-timeout", "5m"])
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(origin.url(), "output=avif"))
        try kill(daemon, after: 0, SIGKILL)
        try kill(daemon, after: 1, SIGUSR1)
        let reply = try client.reply()
        #expect(reply.status == 200, "\(reply.text)")
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
    }

    @Test func `a picture that loses every process is a 503, and is made the next time`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(
                Pictures.gradient(120, 80) + (peer.target == "/good" ? [] : Array("mischief:die".utf8)))
        }
        // Which its jail would forbid it to do itself.
        let daemon = try DaemonUnderTest(["--decoder-jail", "off"], program: "hostile-pictor")
        for _ in 1...2 {
            let reply = try daemon.get(origin.url("/bad"), "w=30")
            #expect(reply.status == 503, "\(reply.text)")
            #expect(reply.text.contains("decoder_unavailable"), "\(reply.text)")
        }
        // Asked again, and not remembered.
        #expect(try daemon.metric("pictor_decoder_kills_total") == 10)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(try daemon.get(origin.url("/good"), "w=30").status == 200)
    }
}
