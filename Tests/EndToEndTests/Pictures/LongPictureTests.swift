// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Pictures that take long do not keep the others from being made", .endToEnd, .timeLimit(.minutes(5)))
struct LongPictureTests {
    private static let picture = Pictures.gradient(300, 200)
    private let origin = ScriptedOrigin { $0.picture(picture) }

    /// 54 megapixels as PNG of the highest level, which no decoder finishes in time.
    private static func long(_ width: Int) -> String {
        "w=\(width)&h=6000&fit=fill&we=0&output=png&l=9&mod=1.2,0.8,40"
    }

    @Test(arguments: [1, 2])
    func `small ones are answered while long ones hold what they may`(processes: Int) throws {
        let daemon = try DaemonUnderTest([
            "--decoder-processes", "\(processes)", "--limits-enlarged-pixels", "0", "--decoder-timeout", "3s",
            "--decoder-queue-timeout", "10s", "--decoder-memory", "8GiB",
        ])
        #expect(try daemon.get(origin.url("/warm"), "w=30").status == 200)
        // Of different pictures, so that none is known from another. One after the other they take longer than a small one
        // may wait.
        var waiting: [Connection] = []
        for number in 0..<6 * processes {
            let connection = try Connection(port: daemon.port)
            try connection.request(
                DaemonUnderTest.target(origin.url("/long\(number)"), Self.long(9001 + number)))
            waiting.append(connection)
        }
        #expect(try Patience.until { try daemon.metric("pictor_decoder_queue_length") > 0 })
        for number in 0..<30 {
            let reply = try daemon.get(origin.url("/small\(number)"), "w=\(40 + number)")
            #expect(reply.status == 200, "\(number): \(reply.text)")
        }
        for connection in waiting { #expect([503, 504].contains(try connection.reply().status)) }
    }

    @Test func `the one that waits with a permit counts as waiting`() throws {
        let daemon = try DaemonUnderTest([
            "--decoder-processes", "1", "--limits-enlarged-pixels", "0",
            "--decoder-memory", "8GiB",
        ])
        #expect(try daemon.get(origin.url("/warm"), "w=30").status == 200)
        let (long, small) = (try Connection(port: daemon.port), try Connection(port: daemon.port))
        try long.request(DaemonUnderTest.target(origin.url("/long"), Self.long(9001)))
        #expect(try Patience.until { try daemon.metric("pictor_decoders_busy") == 1 })
        #expect(try daemon.metric("pictor_decoder_queue_length") == 0)
        try small.request(DaemonUnderTest.target(origin.url("/small"), "w=40"))
        #expect(try Patience.until { try daemon.metric("pictor_decoder_queue_length") == 1 })
        long.close()
        #expect(try small.reply().status == 200)
        #expect(try daemon.metric("pictor_decoder_queue_length") == 0)
    }

    @Test func `one that was stopped is not tried again in another width`() throws {
        let daemon = try DaemonUnderTest([
            "--limits-enlarged-pixels", "0", "--decoder-timeout", "1s", "--decoder-memory", "8GiB",
            "--decoder-processes", "8",
        ])
        #expect(try daemon.late(origin.url(), Self.long(9001)).reply.status == 504)
        let before = try daemon.metric("pictor_decoder_timeouts_total")
        for width in 9002...9010 { #expect(try daemon.get(origin.url(), Self.long(width)).status == 504) }
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == before)
        #expect(try daemon.late(origin.url(), "w=200&output=png").reply.status == 200)
    }

    @Test func `a stranger enlarges up to a limit that is named`() throws {
        let daemon = try DaemonUnderTest(["--limits-enlarged-pixels", "1000000"])
        #expect(try daemon.get(origin.url(), "w=1200&we=0").status == 200)
        let reply = try daemon.get(origin.url(), "w=1300&we=0")
        #expect(reply.status == 413)
        #expect(reply.text.contains("\"error\":\"enlarged_too_far\""))
        #expect(reply.text.contains(" 1000000 (limits.enlarged-pixels)"))
    }
}
