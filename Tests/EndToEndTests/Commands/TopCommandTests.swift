// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("pictor top watches a daemon", .endToEnd)
struct TopCommandTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func top(
        _ daemon: DaemonUnderTest, _ arguments: [String] = [], width: UInt16 = 100, height: UInt16 = 40,
        environment: [String: String] = [:]
    ) throws -> TerminalCommand {
        try TerminalCommand(
            ["top", "--interval", "0.2", "--admin-listen", "127.0.0.1:\(daemon.adminPort)"] + arguments,
            width: width, height: height,
            environment: DaemonUnderTest.trusting.merging(environment) { $1 })
    }

    @Test func `--once and --json tell one moment, without colours`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for _ in 1...3 { _ = try daemon.get(origin.url(), "w=30") }
        #expect(
            try Patience.until {
                let view = try daemon.command(["top", "--once"])
                return view.status == 0 && view.output.contains(DaemonUnderTest.target(origin.url(), "w=30"))
                    && view.output.contains(origin.url("/").absolute.dropLast())
            })
        let view = try daemon.command(["top", "--once"])
        #expect(!view.output.contains("\u{1B}"))
        let decode = try #require(view.lines.first { $0.hasPrefix("decode ") })
        #expect(decode.split(separator: " ")[1] == "1", "one picture was decoded")
        let json = try daemon.command(["top", "--json"])
        let members = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
        #expect(members?["is_ready"] as? Bool == true && members?["second"] != nil)
    }

    @Test func `--once prints no control sequences on a terminal that knows none`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for (name, hasControls) in [("dumb", false), ("", false), ("xterm", true)] {
            let view = try top(daemon, ["--once"], environment: ["TERM": name])
            #expect(view.end() == 0)
            #expect(Patience.until { view.output.contains("ERRORS") })
            #expect(view.output.contains("\u{1B}") == hasControls, "\(name)")
        }
    }

    @Test func `keys change the list, look into a target, and q gives the terminal back`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        _ = try daemon.get(target)
        let view = try top(daemon)
        #expect(view.shows("ORIGINS  by failures"))
        #expect(!view.isUsual)
        view.type("s")
        #expect(view.shows("ORIGINS  by time"))
        view.type("\t")
        #expect(view.shows("TARGETS") && view.shows(target))
        view.type("\r")
        #expect(view.shows("asked."))
        view.type("q")
        #expect(view.shows("TARGETS"))
        view.type("?")
        #expect(view.shows("hold the figures"))
        view.type("x")
        #expect(view.shows("TARGETS"))
        view.type("p")
        #expect(view.shows("PAUSED"))
        view.type("q")
        #expect(view.end() == 0 && view.isUsual)
        #expect(view.output.hasPrefix("\u{1B}[?1049h") && view.ends(with: "\u{1B}[?1049l"))
    }

    @Test func `a target of any endpoint is looked into`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let target = "/\(DaemonUnderTest.target(origin.url(), "w=30").dropFirst("/img".count))"
        #expect(try daemon.get(target).status == 200)
        let view = try top(daemon)
        #expect(view.shows("ORIGINS"))
        view.type("\t")
        #expect(view.shows("TARGETS") && view.shows(target))
        view.type("\r")
        #expect(view.shows("asked."))
        view.type("q")
        #expect(view.shows("TARGETS"))
        view.type("q")
        #expect(view.end() == 0)
    }

    @Test func `an origin tells what is held of it`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        _ = try daemon.get(origin.url(), "w=30")
        let view = try top(daemon)
        #expect(view.shows("  \(origin.url("/").absolute.dropLast())"))
        view.type("\r")
        #expect(view.shows("originals held of 127.0.0.1: 1") && view.shows("png 60×40"))
        view.type("\u{3}q")
        #expect(view.end() == 0)
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal gives the terminal back`(_ number: Int32) throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let view = try top(daemon)
        #expect(view.shows("ORIGINS"))
        view.signal(number)
        #expect(view.end() == 128 + number && view.isUsual)
        #expect(view.ends(with: "\u{1B}[?1049l"))
    }

    @Test func `it follows the terminal's size, and NO_COLOR`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let view = try top(daemon, width: 60, height: 15, environment: ["NO_COLOR": "1"])
        #expect(view.shows("ORIGINS") && view.screen.count == 15)
        view.resize(width: 120, height: 50)
        #expect(view.shows("STAGE") && view.screen.count == 50)
        view.type("q")
        #expect(view.end() == 0)
        #expect(!view.output.contains(/\u{1B}\[(2|31|32)m/))
    }

    @Test func `a daemon that goes away is told, and asked again`() throws {
        let cache = TemporaryFolder()
        // Nobody else's while there is no daemon.
        let admin = try ReservedPort()
        func start() throws -> DaemonUnderTest {
            try DaemonUnderTest(
                ["--admin-listen", "127.0.0.1:\(admin.number)"], cache: cache,
                environment: DaemonUnderTest.trusting)
        }
        let daemon = try start()
        let view = try top(daemon)
        #expect(view.shows("q quit"))
        #expect(daemon.stop() == 0)
        #expect(view.shows("trying again: 127.0.0.1:\(daemon.adminPort): connect"))
        let next = try start()
        #expect(next.adminPort == daemon.adminPort && view.shows("q quit"))
        view.type("q")
        #expect(view.end() == 0)
    }

    @Test func `no daemon, a wrong token, no terminal and a wrong option are told at once`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let listen = ["--admin-listen", "127.0.0.1:\(daemon.adminPort)"]
        let wrong = try PictorCommand(
            ["top", "--once"] + listen, environment: ["PICTOR_ADMIN_TOKEN": "another-token-of-16"])
        #expect(wrong.status == 1 && wrong.error.contains("token"))
        let nobody = try PictorCommand(["top", "--json", "--admin-listen", "127.0.0.1:1"])
        #expect(nobody.status == 1 && nobody.error.contains("Connection refused"))
        let piped = try PictorCommand(["top"] + listen)
        #expect(piped.status == 64 && piped.error.contains("--once"))
        #expect(try PictorCommand(["top", "--once", "--interval", "0"] + listen).status == 64)
        let view = try TerminalCommand(["top", "--admin-listen", "127.0.0.1:1"], width: 80, height: 24)
        #expect(view.end() == 1 && !view.output.contains("\u{1B}[?1049h"))
    }
}
