// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Whatever a header does to its reader costs that one answer, and never the daemon", .endToEnd)
struct InspectorTests {
    private static let picture = Pictures.gradient(120, 80)

    /// What made numbers of no sense of a drawing's size, and its like.
    private static let drawings = [
        "viewBox=\"0 0 inf inf\" width=\"10\"", "viewBox=\"0 0 inf inf\" height=\"10\"",
        "viewBox=\"0 0 nan nan\"",
        "viewBox=\"0 0 1e309 1e309\" width=\"10\"", "viewBox=\"0 0 -0 -0\" width=\"10\"",
        "viewBox=\"0 0 1e308 1e-308\" width=\"1e308in\"", "width=\"1e309\" height=\"1e309\"",
        "width=\"inf\" height=\"nan\"",
        "viewBox=\"0 0 9223372036854775808 1\" height=\"9223372036854775808\"",
    ]

    private static func drawing(_ attributes: String) -> [UInt8] {
        Array("<svg \(attributes) xmlns=\"http://www.w3.org/2000/svg\"></svg>".utf8)
    }

    @Test(arguments: [[], ["--decoder-formats", "png,svg"]])
    func `a drawing of infinite size is refused, and the daemon serves on`(flags: [String]) throws {
        let origin = ScriptedOrigin { peer in
            let number = Int(peer.target.dropFirst())
            peer.picture(number.map { Self.drawing(Self.drawings[$0]) } ?? Self.picture)
        }
        let daemon = try DaemonUnderTest(flags)
        for number in Self.drawings.indices {
            for options in ["w=30", "output=json"] {
                let reply = try daemon.get(origin.url("/\(number)"), options)
                // Where drawings are drawn, one of no size has the size that its renderer gives it.
                let isRefused = (400..<500).contains(reply.status)
                #expect(isRefused || !flags.isEmpty && reply.status == 200, "\(number): \(reply.text)")
            }
        }
        #expect(try daemon.get(origin.url("/good"), "w=30").status == 200)
        for name in ["crashes", "timeouts", "forbidden_calls", "restarts"] {
            #expect(try daemon.metric("pictor_inspector_\(name)_total") == 0, "\(name)")
        }
        #expect(daemon.stop() == 0)
    }

    // MARK: Inspectors that have been taken over

    private enum End: String {
        /// The call fails, and the inspector lives on.
        case refused
        /// The kernel ends the process for the call.
        case forbidden
        case crashed, timedOut
    }

    private static let attempts: [(name: String, words: String, end: End)] = [
        ("crash", "write to no memory", .crashed),
        ("trap", "trap", .crashed),
        ("leave", "leave", .crashed),
        ("babble", "talk nonsense", .crashed),
        ("spin", "compute without end", .timedOut),
        ("allocate", "allocate without end", .refused),
        ("read", "read /etc/passwd", .forbidden),
        ("list", "list the root folder", .forbidden),
        ("probe", "ask for a file outside", .forbidden),
        ("probe-more", "ask for a file outside in other ways", .forbidden),
        ("write", "write a file outside", .forbidden),
        ("mkdir", "make a folder", .forbidden),
        ("code", "map memory that can be executed", .forbidden),
        ("connect", "connect to a port", .forbidden),
        ("exec", "run a program", .forbidden),
        ("fork", "start processes without end", .forbidden),
        ("signal", "signal its parent", .forbidden),
        ("die", "be killed", .forbidden),
        ("ptrace", "trace its parent", .forbidden),
        ("limits", "raise its limits", .forbidden),
    ]

    private func origin() -> ScriptedOrigin {
        ScriptedOrigin { peer in
            let mark = peer.target.dropFirst()
            peer.picture(Self.picture + (mark == "good" ? [] : Array(mark.utf8)))
        }
    }

    /// The answer to a picture whose inspector had time to run. As long as a busy machine gives it none, the answer is 503,
    /// and the picture is not blamed for that.
    private func answer(
        _ daemon: DaemonUnderTest, _ url: SourceURL, _ options: String = "w=30"
    ) throws -> Connection.Reply {
        try daemon.late(url, options).reply
    }

    @Test func `an inspector that was taken over is stopped, answered for, counted and logged`() throws {
        let origin = origin()
        let daemon = try DaemonUnderTest(["--decoder-jail", "require"], program: "hostile-pictor")
        for (number, attempt) in Self.attempts.enumerated() {
            #expect(try Patience.until { try daemon.metric("pictor_inspectors") == 2 })
            let reply = try answer(daemon, origin.url("/inspector:\(attempt.name)"))
            #expect(reply.status == 422, "\(attempt.name): \(reply.text)")
            #expect(reply.text.contains("damaged_image"), "\(attempt.name): \(reply.text)")
            #expect(
                daemon.logLine(with: "mischief: will \(attempt.words)") != nil, "\(attempt.name) was tried")
            let good = try answer(daemon, origin.url("/good"), "w=\(10 + number)")
            #expect(good.status == 200, "after \(attempt.name): \(good.text)")
        }
        for (name, end) in [
            ("crashes", End.crashed), ("timeouts", .timedOut), ("forbidden_calls", .forbidden),
        ] {
            let count = Self.attempts.count { $0.end == end }
            let counted = try daemon.metric("pictor_inspector_\(name)_total")
            // On a busy machine the deadline may come before anything else that ends a process.
            if end == .timedOut {
                #expect(counted >= count, "\(name)")
                continue
            }
            #expect(counted == count, "\(name)")
            #expect(daemon.logs(count, with: "inspector ended", "\"\(end.rawValue)\""), "\(name)")
        }
        #expect(!FileManager.default.fileExists(atPath: "/tmp/pictor-mischief"))
        #expect(try daemon.metric("pictor_decoder_crashes_total") == 0)
        #expect(daemon.stop() == 0)
    }

    @Test func `an inspector that never answers is killed, and so is the second that is asked`() throws {
        let origin = origin()
        let daemon = try DaemonUnderTest(program: "hostile-pictor")
        let late = try daemon.late(origin.url("/inspector:hang"), "w=30")
        #expect(late.reply.status == 422, "\(late.reply.text)")
        #expect(try daemon.metric("pictor_inspector_timeouts_total") == 2 * late.jobs)
        #expect(try answer(daemon, origin.url("/good")).status == 200)
    }

    @Test func `inspectors that the machine gives no time leave no mark on the picture`() throws {
        let origin = origin()
        let daemon = try DaemonUnderTest()
        for pid in try #require(daemon.inspectors(of: 2)) { kill(pid, SIGSTOP) }
        let reply = try daemon.get(origin.url("/good"), "w=30")
        #expect(reply.status == 503, "\(reply.text)")
        #expect(reply.text.contains("overloaded"), "\(reply.text)")
        #expect(reply["Retry-After"] != nil)
        #expect(daemon.logs(2, with: "inspector ended", "\"heldUp\""))
        #expect(try daemon.get(origin.url("/good"), "w=30").status == 200)
        #expect(daemon.stop() == 0)
    }

    @Test func `what no parser says is not believed`() throws {
        let origin = origin()
        let daemon = try DaemonUnderTest(program: "hostile-pictor")
        for (lie, status) in [
            ("huge", 413), ("larger", 422), ("none", 422), ("turned", 422), ("pages", 422), ("details", 422),
            ("format", 415),
        ] {
            let reply = try answer(daemon, origin.url("/inspector-lie:\(lie)"))
            #expect(reply.status == status, "\(lie): \(reply.text)")
        }
        #expect(try answer(daemon, origin.url("/good")).status == 200)
        #expect(daemon.stop() == 0)
    }

    @Test func `an inspector killed from outside costs no answer, and is replaced`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        // Few, because processes that end without having been of use are replaced ever later.
        for round in 0..<4 {
            let inspectors = try #require(daemon.inspectors(of: 2))
            for pid in inspectors { kill(pid, round.isMultiple(of: 2) ? SIGKILL : SIGUSR1) }
            #expect(try daemon.get(origin.url("/\(round)"), "w=30").status == 200, "round \(round)")
        }
        #expect(try daemon.metric("pictor_inspector_crashes_total") == 0)
        #expect(daemon.stop() == 0)
    }
}
