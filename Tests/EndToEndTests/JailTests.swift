// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageModel
import TestSupport
import Testing

@Suite("A picture that takes its decoder over gets no further than its own refusal", .endToEnd)
struct JailTests {
    /// How an attempt ends.
    private enum End {
        /// The call fails, and the decoder lives on.
        case refused
        /// The kernel ends the process for the call.
        case forbidden
        /// The process dies of it in another way: it runs out of memory, say.
        case died
        /// At the deadline.
        case late
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
        ("ptrace", "trace its parent", .forbidden),
        ("limits", "raise its limits", .forbidden),
        ("allocate", "allocate without end", .refused),
        ("fill", "fill its output without end", .refused),
        ("spin", "compute without end", .late),
    ]

    private static let picture = Pictures.gradient(120, 80)

    @Test func `every attempt is stopped, answered, counted and logged, and the daemon serves on`() throws {
        let origin = ScriptedOrigin { peer in
            let name = peer.target.dropFirst()
            peer.picture(Self.picture + (name == "good" ? [] : Array("mischief:\(name)".utf8)))
        }
        let daemon = try DaemonUnderTest(
            ["--decoder-jail", "require", "--decoder-timeout", "4s", "--decoder-maximum-output", "4MiB"],
            program: "hostile-pictor")
        #expect(try daemon.get(origin.url("/good"), "w=9").status == 200)
        for attempt in Self.attempts {
            let reply = try daemon.get(origin.url("/\(attempt.name)"), "w=30")
            #expect(reply.status == (attempt.end == .late ? 504 : 422), "\(attempt.name): \(reply.text)")
            #expect(
                daemon.logLine(with: "mischief: will \(attempt.words)") != nil, "\(attempt.name) was tried")
            if attempt.end == .refused {
                #expect(daemon.logLine(with: "mischief: could not \(attempt.words)") != nil)
            }
            #expect(try daemon.get(origin.url("/good"), "w=10").status == 200)
        }
        let forbidden = Self.attempts.count { $0.end == .forbidden }
        #expect(try daemon.metric("pictor_decoder_forbidden_calls_total") == forbidden)
        #expect(try daemon.metric("pictor_decoder_timeouts_total") == 1)
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(daemon.logs(forbidden, with: "decoder ended", "forbidden"))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/pictor-mischief"))
        let last = try daemon.get(origin.url("/good"), "w=11")
        #expect(last.status == 200, "\(last.text)")
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

    @Test func `what holds is told in the log and the metrics`() throws {
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"])
        let line = try #require(daemon.logLine(with: "decoders are jailed"))
        #expect(line.contains("nothing-readable") && line.contains("system-calls"))
        #expect(try daemon.metric("pictor_decoder_jail_walls", "state=\"standing\"") >= 15)
    }
}
