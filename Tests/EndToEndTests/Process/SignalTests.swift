// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("No signal ends the daemon before what is under way is finished", .endToEnd)
struct SignalTests {
    private static let stray: [(Int32, String)] = [
        (SIGUSR1, "SIGUSR1"), (SIGUSR2, "SIGUSR2"), (SIGALRM, "SIGALRM"),
        (SIGVTALRM, "SIGVTALRM"), (SIGPROF, "SIGPROF"), (SIGPOLL, "SIGPOLL"), (SIGPWR, "SIGPWR"),
        (SIGSTKFLT, "SIGSTKFLT"), (40, "SIGRT40"), (64, "SIGRT64"),
    ]

    @Test func `what means nothing is ignored, with a line in the log`() throws {
        let daemon = try DaemonUnderTest()
        for (number, _) in Self.stray { daemon.signal(number) }
        for (_, name) in Self.stray {
            #expect(daemon.logLine(with: "signal ignored", "\"\(name)\"") != nil, "\(name)")
        }
        for number in [SIGPIPE, SIGXFSZ] { daemon.signal(number) }
        #expect(try daemon.get("/nothing").status == 404)
        #expect(daemon.stop() == 0)
        #expect(daemon.logLine(with: "stopped") != nil)
        #expect(daemon.log.last?.contains("stopped") == true)
    }

    @Test func `a flood of them is a few lines`() throws {
        let daemon = try DaemonUnderTest()
        let begin = ContinuousClock.now
        for _ in 0..<5_000 { daemon.signal(SIGUSR1) }
        #expect(try daemon.get("/nothing").status == 404)
        #expect(daemon.logLine(with: "SIGUSR1") != nil)
        // Counted first: another line may come with the next second.
        let lines = daemon.log.count { $0.contains("SIGUSR1") }
        let seconds = Int(begin.duration(to: .now).components.seconds)
        #expect(lines <= seconds + 2)
        #expect(daemon.stop() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGQUIT, SIGXCPU])
    func `those that mean an end begin a drain`(number: Int32) throws {
        let (asked, release) = (Latch(), Latch())
        let origin = ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.picture(Pictures.gradient(60, 40))
        }
        let daemon = try DaemonUnderTest([
            "--origin-first-byte-timeout", "2m", "--origin-timeout", "3m", "--server-drain-timeout", "2m",
        ])
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(origin.url(), "w=30"))
        asked.wait()
        daemon.signal(number)
        #expect(Patience.until { (try? Connection(port: daemon.port)) == nil })
        release.signal()
        #expect(try client.reply().status == 200)
        // One that stays is waited for a while.
        client.close()
        #expect(daemon.exitStatus() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGQUIT])
    func `a daemon that does not listen yet ends by them in order, and leaves its folder free`(
        number: Int32
    ) throws {
        let start = try HeldStart()
        #expect(Patience.until { (try? Connection(path: start.admin)) != nil })
        #expect(kill(start.process.processIdentifier, number) == 0)
        #expect(start.exitStatus() == 0)
        #expect(start.endsLog(with: "stopped"), "\(start.log.all.joined(separator: "\n"))")
        #expect(start.log.all.contains { $0.contains("stopping before the start is complete") })
        #expect(!FileManager.default.fileExists(atPath: start.admin))
        let next = try DaemonUnderTest(["--cache-directory", start.cache.path + "/cache"])
        #expect(next.stop() == 0)
    }

    /// In a container it has the number 1, for which the kernel takes the default of a signal as "ignore".
    @Test func `a container's first process ends by SIGTERM while it starts, too`() throws {
        let start = try HeldStart(wrapper: [
            "/usr/bin/unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child",
        ])
        let outer = start.process.processIdentifier
        let children = try String(contentsOfFile: "/proc/\(outer)/task/\(outer)/children", encoding: .utf8)
        let daemon = try #require(
            Int32(children.trimmingCharacters(in: .whitespaces)),
            "\(start.log.all.joined(separator: "\n"))")
        #expect(kill(daemon, SIGTERM) == 0)
        #expect(start.exitStatus() == 0)
        #expect(start.endsLog(with: "stopped"), "\(start.log.all.joined(separator: "\n"))")
    }

    @Test func `decoders have none of that: no signal is blocked, and no other ignored than they say`() throws
    {
        let daemon = try DaemonUnderTest()
        let decoder = try #require(daemon.decoders(of: 2)?.first)
        #expect(try daemon.metric("pictor_decoders") > 0)
        #expect(Self.mask("SigBlk", of: decoder) == 0)
        let ignored = try #require(Self.mask("SigIgn", of: decoder))
        // Beside its own, the two that the C library keeps for itself (nptl(7)): posix_spawn(3) of glibc 2.36 has a
        // child ignore them, that of 2.41 does not.
        let own = Self.set([SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ])
        #expect(ignored & ~Self.set([32, 33]) == own)
    }

    /// As a program may leave it to those that it starts (execve(2)). The kernel tells nobody then how a child ended (wait(2)).
    @Test func `a decoder's crash is known as one where the daemon was started with SIGCHLD ignored`()
        throws
    {
        let daemon = try DaemonUnderTest(ignored: "CHLD")
        let decoder = try #require(daemon.decoders(of: 2)?.first)
        #expect(kill(decoder, SIGSEGV) == 0)
        #expect(daemon.logLine(with: "decoder ended", "\"\(decoder)\"", "signal: \(SIGSEGV)") != nil)
        #expect(daemon.stop() == 0)
    }

    private static func set(_ signals: [Int32]) -> UInt64 { signals.reduce(0) { $0 | 1 << UInt64($1 - 1) } }

    /// A set of signals as proc(5) writes it in `status`.
    private static func mask(_ name: String, of process: Int32) -> UInt64? {
        let text = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line.flatMap { $0.split(separator: "\t").last }.flatMap { UInt64($0, radix: 16) }
    }
}
