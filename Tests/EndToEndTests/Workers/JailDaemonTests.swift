// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A picture that takes its decoder over gets no further than its own refusal", .endToEnd)
struct JailDaemonTests {
    /// How an attempt ends.
    private enum End {
        /// The call fails, and the decoder lives on.
        case refused
        /// The kernel ends the process for the call.
        case forbidden
    }

    private static let attempts: [(name: String, words: String, end: End)] = [
        ("read", "read /etc/passwd", .refused),
        ("list", "list the root folder", .refused),
        ("write", "write a file outside", .refused),
        ("code", "map memory that can be executed", .forbidden),
        ("mkdir", "make a folder", .forbidden),
        ("connect", "connect to a port", .forbidden),
        ("exec", "run a program", .forbidden),
        ("fork", "start processes without end", .forbidden),
        ("signal", "signal its parent", .forbidden),
        ("die", "be killed", .forbidden),
        ("ptrace", "trace its parent", .forbidden),
        ("limits", "raise its limits", .forbidden),
        ("probe", "ask for a file outside", .refused),
        ("probe-more", "ask for a file outside in other ways", .refused),
        ("allocate", "allocate without end", .refused),
        ("fill", "fill its output without end", .refused),
    ]

    private static let picture = Pictures.gradient(120, 80)

    @Test func `every attempt is stopped, answered, counted and logged, and the daemon serves on`() throws {
        let origin = ScriptedOrigin { peer in
            let name = peer.target.dropFirst()
            peer.picture(Self.picture + (name == "good" ? [] : Array("mischief:\(name)".utf8)))
        }
        let daemon = try DaemonUnderTest(
            ["--decoder-jail", "require", "--decoder-timeout", "10m", "--decoder-maximum-output", "4MiB"],
            program: "hostile-pictor")
        #expect(try daemon.get(origin.url("/good"), "w=9").status == 200)
        for (number, attempt) in Self.attempts.enumerated() {
            // When none is being replaced, the next picture goes to the process that has answered last.
            #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
            let reply = try daemon.get(origin.url("/\(attempt.name)"), "w=30")
            #expect(reply.status == 422, "\(attempt.name): \(reply.text)")
            #expect(
                daemon.logLine(with: "mischief: will \(attempt.words)") != nil, "\(attempt.name) was tried")
            if attempt.end == .refused {
                #expect(daemon.logLine(with: "mischief: could not \(attempt.words)") != nil)
            }
            // Made anew, by that process where it lives on.
            let good = try daemon.get(origin.url("/good"), "w=\(10 + number)")
            #expect(good.status == 200, "after \(attempt.name): \(good.text)")
        }
        let forbidden = Self.attempts.count { $0.end == .forbidden }
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == forbidden)
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == 0)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(daemon.logs(forbidden, with: "decoder ended", "forbidden"))
        let lost = ["a picture has cost its decoder", "\"end\":\"signal \(SIGSYS)\"", "\"original\":\""]
        #expect(daemon.logs(forbidden, with: lost[0], lost[1], lost[2], "\"request\":\""))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/pictor-mischief"))
        #expect(daemon.stop() == 0)
    }

    /// It opens fonts, and has more system calls for that.
    @Test func `a decoder that writes text cannot have the kernel signal the daemon`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture + Array("mischief:owner".utf8)) }
        let daemon = try DaemonUnderTest(
            ["--decoder-jail", "require", "--decoder-fonts", "sans"], program: "hostile-pictor")
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 422, "\(reply.text)")
        #expect(daemon.logLine(with: "mischief: will choose who gets the signals of its socket") != nil)
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 1)
        #expect(daemon.stop() == 0)
    }

    /// Landlock would refuse it; without, the filter of system calls does.
    @Test func `a decoder that writes text opens no file for writing where the kernel has no Landlock`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Self.picture + Array("mischief:write".utf8)) }
        let daemon = try DaemonUnderTest(
            ["--decoder-jail", "prefer", "--decoder-fonts", "sans"], program: "hostile-pictor",
            wrapper: ["hostile-pictor", "without-landlock"])
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 422, "\(reply.text)")
        #expect(daemon.logLine(with: "mischief: could not write a file outside: Permission denied") != nil)
        #expect(!FileManager.default.fileExists(atPath: "/tmp/pictor-mischief"))
        #expect(daemon.stop() == 0)
    }

    /// It could write into everybody's answer later, when it reads the picture of somebody else.
    @Test(arguments: ["keep", "map"])
    func `a decoder that keeps its output open or mapped is killed, and nobody gets what it made`(how: String)
        throws
    {
        let origin = ScriptedOrigin { peer in
            // No two alike: what is known to be damaged is refused without a decoder.
            let round = UInt8(peer.target.dropFirst()) ?? 0
            peer.picture(
                Pictures.gradient(120, 80, hue: round) + (round == 0 ? [] : Array("mischief:\(how)".utf8)))
        }
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"], program: "hostile-pictor")
        for round in 1...3 {
            #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
            let reply = try daemon.get(origin.url("/\(round)"), "w=\(30 + round)")
            #expect(reply.status == 422 && reply.text.contains("damaged_image"), "\(reply.text)")
            #expect(daemon.logLine(with: "mischief: will keep its output") != nil)
            #expect(try daemon.metric("pictor_decoder_crashes_total") == round)
            #expect(try daemon.get(origin.url("/good"), "w=\(30 + round)").status == 200)
        }
        #expect(!daemon.log.contains { $0.contains("mischief: could not") })
        #expect(try Patience.until { try daemon.metric("pictor_decoder_restarts_total") == 3 })
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == 0)
    }

    @Test func `a decoder that answers something else than was ordered is killed, and nothing of it is kept`()
        throws
    {
        let origin = ScriptedOrigin { peer in
            let name = peer.target.dropFirst()
            peer.picture(Self.picture + (name == "good" ? [] : Array("decoder-lie:\(name)".utf8)))
        }
        let daemon = try DaemonUnderTest(program: "hostile-pictor")
        let order = "w=30&output=jpg"
        #expect(
            try daemon.get(origin.url("/nothing"), order).status == 200, "so that the lies below can fail")
        let lies = ["drawing", "drawing-as-jpeg", "png", "wider", "higher", "pages", "longer"]
        for lie in lies {
            #expect(try Patience.until { try daemon.metric("pictor_decoders") == 3 })
            for _ in 1...2 {
                let reply = try daemon.get(origin.url("/\(lie)"), order)
                #expect(reply.status == 422, "\(lie): \(reply.text)")
                #expect(reply["Content-Type"]?.hasPrefix("image/") != true, "\(lie)")
            }
            #expect(try daemon.get(origin.url("/good"), "w=30&output=jpg&q=\(lie.count)").status == 200)
        }
        #expect(try daemon.metric("pictor_decoder_crashes_total") == lies.count)
        #expect(daemon.stop() == 0)
    }

    /// The next jobs of the kind would be thought to take as long.
    @Test func `a decoder that tells of a day's work is believed no more than the time that has passed`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Self.picture + Array("decoder-lie:slow".utf8)) }
        let daemon = try DaemonUnderTest(program: "hostile-pictor")
        let reply = try daemon.get(origin.url(), "w=30&output=jpg")
        #expect(reply.status == 200, "\(reply.text)")
        let stages = try #require(reply["Server-Timing"]).split(separator: ", ")
        let decode = try #require(stages.first { $0.hasPrefix("decode;dur=") })
        // Milliseconds, of an hour.
        let told = try #require(decode.split(separator: "=").last.flatMap { Double($0) })
        #expect(told < 3_600_000)
        #expect(daemon.stop() == 0)
    }

    @Test func `who computes without end is stopped at the deadline`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture + Array("mischief:spin".utf8)) }
        // Of many decoders each has a small share of the machine, so that a busy machine is no excuse for the picture.
        let daemon = try DaemonUnderTest(
            ["--decoder-timeout", "3s", "--decoder-processes", "8"], program: "hostile-pictor")
        let late = try daemon.late(origin.url(), "w=30")
        #expect(late.reply.status == 504)
        #expect(daemon.logLine(with: "mischief: will compute without end") != nil)
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == late.jobs)
        #expect(try Patience.until { try daemon.metric("pictor_decoders") == 9 })
        #expect(daemon.stop() == 0)
    }

    @Test func `without the jail the same attempts get through, so that the test above can fail`() throws {
        let origin = ScriptedOrigin { peer in
            peer.picture(Self.picture + Array("mischief:\(peer.target.dropFirst())".utf8))
        }
        let daemon = try DaemonUnderTest(["--decoder-jail", "off"], program: "hostile-pictor")
        for name in ["read", "list", "code", "fork"] {
            #expect(try daemon.get(origin.url("/\(name)"), "w=30").status == 200, "\(name)")
        }
    }

    @Test func `a jail that is required and cannot be had ends the start for good, with one sentence`() throws
    {
        let lesser = ["hostile-pictor", "without-landlock"]
        do {
            let daemon = try DaemonUnderTest(["--decoder-jail", "require"], wrapper: lesser)
            Issue.record("it serves: \(daemon.log)")
        } catch let failure as DaemonUnderTest.DidNotStart {
            // EX_CONFIG, which the systemd unit does not try again.
            #expect(failure.status == 78)
            let errors = failure.log.split(separator: "\n").filter { $0.hasPrefix("Error: ") }
            #expect(errors.count == 1, "\(failure.log)")
            let sentence = try #require(errors.first)
            for words in [
                "Error: --decoder-jail: decoder.jail is require", "nothing-writable", "nothing-readable",
                "Landlock needs Linux 5.13",
            ] {
                #expect(sentence.contains(words), "\(sentence)")
            }
        }
        // What the kernel permits is enough where it is only preferred.
        let daemon = try DaemonUnderTest(["--decoder-jail", "prefer"], wrapper: lesser)
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try daemon.metric("pictor_decoder_jail_measures", "state=\"missing\"") >= 2)
    }

    @Test func `what holds is told in the log and the metrics`() throws {
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let line = try #require(daemon.logLine(with: "decoders are jailed"))
        #expect(line.contains("nothing-readable") && line.contains("system-calls"))
        #expect(try daemon.metric("pictor_decoder_jail_measures", "state=\"standing\"") >= 15)
    }
}
