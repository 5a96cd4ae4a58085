// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A reload opens nothing by mistake", .endToEnd)
struct RefusedReloadTests: Reloading {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    let folder = TemporaryFolder()

    /// Expects that the settings in force stay, and that the answer names the reason.
    private func expectRefusal(_ daemon: DaemonUnderTest, _ words: String...) throws {
        let reply = try daemon.order("/admin/reload")
        #expect(reply.status == 422 && reply.text.contains("bad_settings"), "\(reply.text)")
        for word in words { #expect(reply.text.contains(word), "\(word): \(reply.text)") }
    }

    @Test func `a file that was emptied or removed leaves what it closed closed`() throws {
        let closed = ["origin:", "  deny-hosts: [\"127.0.0.1\"]"].joined(separator: "\n")
        try write(closed)
        let daemon = try daemon()
        func isClosed() throws -> Bool {
            try daemon.get(origin.url(), "w=30").text.contains("source_refused")
        }
        #expect(try isClosed())
        for emptied in ["", "# written soon", "origin:"] {
            try write(emptied)
            try expectRefusal(daemon, file, "no settings any more")
            #expect(try isClosed())
        }
        try FileManager.default.removeItem(atPath: file)
        try expectRefusal(daemon, file)
        #expect(try isClosed())
        try write("log:", "  level: info")
        #expect(try reload(daemon).changed == ["origin.deny-hosts"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
    }

    @Test func `an order that comes while the daemon starts is put off, and blames no setting`() throws {
        let start = try HeldStart()
        #expect(Patience.until { (try? Connection(path: start.admin)) != nil })
        let connection = try Connection(path: start.admin)
        try connection.request("/admin/reload", method: "POST")
        let reply = try connection.reply()
        #expect(reply.status == 503 && reply.text.contains("\"starting\""), "\(reply.text)")
        #expect(reply["Retry-After"] == "1")
    }

    @Test(arguments: [
        ("fleet", "redis: [\"redis://h:x\"]", "fleet.redis"),
        ("traces", "endpoint: garbage", "traces.endpoint"),
        ("decoder", "formats: []", "decoder.formats"),
    ])
    func `a new value that waits for the start must let it start`(
        group: String, line: String, key: String
    ) throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        try write("log:", "  level: debug", "\(group):", "  \(line)")
        try expectRefusal(daemon, key)
        try write("log:", "  level: debug")
        #expect(try reload(daemon).changed == ["log.level"])
    }

    @Test func `a named pipe in a file's place is refused, and no reload waits for its end`() throws {
        let (pipe, profiles) = ("\(folder.path)/pipe", "\(folder.path)/profiles")
        try #require(mkfifo(pipe, 0o600) == 0)
        try "one:\n  match: [a.test]\n  certificate: \(pipe)\n".write(
            toFile: profiles, atomically: true, encoding: .utf8)
        try write("log:", "  level: info")
        let daemon = try daemon()
        for lines in [
            "options:\n  watermarks: [\"mark=\(pipe)\"]", "fallback:\n  picture: \(pipe)",
            "origin:\n  certificate-authorities: [\(pipe)]", "origin:\n  profiles: \(profiles)",
        ] {
            try write(lines)
            try expectRefusal(daemon, pipe, "it is not a regular file")
        }
        try write("log:", "  level: debug")
        #expect(try reload(daemon).changed == ["log.level"])
    }

    @Test func `the answer to a refused reload shows no password of a URL`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        try write("cors:", "  allow: [\"https://user:a-password@host\"]")
        let reply = try daemon.order("/admin/reload")
        #expect(reply.status == 422 && reply.text.contains("https://REDACTED@host"), "\(reply.text)")
        #expect(!reply.text.contains("a-password"))
    }

    @Test func `a right file is taken as far as it can be before the start`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        try write(
            "traces:", "  endpoint: http://127.0.0.1:4318", "  parent: true", "log:", "  level: debug")
        let report = try reload(daemon)
        #expect(report.changed == ["log.level"])
        #expect(report.needs_restart == ["traces.endpoint", "traces.parent"])
        #expect(report.reasons["traces.parent"]?.contains("changes then") == true, "\(report.reasons)")
        try write("log:", "  level: debug")
        let back = try reload(daemon)
        #expect(back.changed.isEmpty && back.needs_restart.isEmpty)
    }

    @Test func `what the start has decided of names is told`() throws {
        let lists = ["origin:\n  allow-networks: [\"127.0.0.0/8\"]", "log:\n  level: info"]
        for (before, after) in [(0, 1), (1, 0)] {
            try write(lists[before])
            let daemon = try daemon("--origin-allow-private", "false")
            try write(lists[after])
            #expect(try reload(daemon).changed == ["origin.allow-networks"])
            let words = before == 0 ? "completes names: a stranger's" : "completes no names before"
            #expect(daemon.logLine(with: "search list of resolv.conf", words) != nil)
            try write(lists[before])
            #expect(try reload(daemon).changed == ["origin.allow-networks"])
            #expect(daemon.logs(1, with: "search list of resolv.conf"), "back where it was")
        }
    }

    @Test func `a file without settings from the start on may be read again`() throws {
        try write("# nothing yet")
        let daemon = try daemon()
        #expect(try reload(daemon).changed.isEmpty)
        try write("log:", "  level: debug")
        #expect(try reload(daemon).changed == ["log.level"])
    }
}
