// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("Settings change while the daemon runs, all at once or not at all", .endToEnd)
struct ReloadTests: Reloading {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    let folder = TemporaryFolder()

    @Test func `a change is in force when the order is answered, also for what was answered from memory`()
        throws
    {
        try write("options:", "  presets: [\"thumb=w=30\"]")
        let daemon = try daemon()
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "preset=thumb").status == 200) }
        try write("options:", "  presets: [\"small=w=30\"]", "log:", "  level: debug")
        let report = try reload(daemon)
        #expect(report.changed == ["options.presets", "log.level"] && report.needs_restart.isEmpty)
        #expect(try daemon.get(origin.url(), "preset=thumb").status == 400)
        #expect(try daemon.get(origin.url(), "preset=small").status == 200)
        #expect(try reload(daemon).changed.isEmpty, "nothing new")
    }

    @Test func `a key that was taken back opens nothing, and a new one does`() throws {
        let (old, new) = (String(repeating: "a", count: 40), String(repeating: "b", count: 40))
        let keys = "\(folder.path)/keys"
        try old.write(toFile: keys, atomically: true, encoding: .utf8)
        try write("signatures:", "  keys-file: \(keys)", "  required: [all]")
        let daemon = try daemon()
        let (before, after) = (try signed(origin.url(), by: old), try signed(origin.url(), by: new))
        #expect(try daemon.get(before).status == 200)
        #expect(try daemon.get(before).status == 200, "from memory")
        #expect(try daemon.get(after).status == 403)
        // Nobody gives an order: the file is watched.
        try new.write(toFile: keys, atomically: true, encoding: .utf8)
        #expect(try Patience.until { try daemon.get(after).status == 200 })
        // Each thread that serves takes the new keys by itself, and all have them when the reload is told.
        #expect(daemon.logLine(with: "settings reloaded") != nil)
        #expect(try daemon.get(before).status == 403)
    }

    @Test func `a setting whose file alone has changed is named`() throws {
        let (profiles, keys) = ("\(folder.path)/profiles", "\(folder.path)/keys")
        func put(_ text: String, into path: String) throws {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        try put("one:\n  match: [a.test]\n  bearer: first\n", into: profiles)
        try put(String(repeating: "a", count: 40), into: keys)
        try write("origin:", "  profiles: \(profiles)", "signatures:", "  keys-file: \(keys)")
        let daemon = try daemon()
        try put("one:\n  match: [a.test]\n  bearer: another\n", into: profiles)
        // The daemon also looks at the file by itself, and may have done so before the order comes.
        _ = try reload(daemon)
        #expect(daemon.logLine(with: "settings reloaded", "\"changed\":\"origin.profiles\"") != nil)
        #expect(try reload(daemon).changed.isEmpty, "nothing new")
        #expect(daemon.logLine(with: "settings reloaded", "\"changed\":\"nothing\"") != nil)
    }

    @Test func `a dialect that was switched off answers nothing, not even what is in memory`() throws {
        try write("cloudflare:", "  enabled: true")
        let daemon = try daemon()
        let target = "/cdn-cgi/image/w=30/\(origin.url().absolute)"
        for _ in 1...2 { #expect(try daemon.get(target).status == 200) }
        try write("cloudflare:", "  enabled: false")
        #expect(try reload(daemon).changed == ["cloudflare.enabled"])
        #expect(try daemon.get(target).status == 404)
        try write("cloudflare:", "  enabled: true")
        #expect(try reload(daemon).changed == ["cloudflare.enabled"])
        #expect(try daemon.get(target).status == 200)
    }

    @Test func `a host that was closed gives no more pictures, not even those that are held`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "w=30").status == 200) }
        try write("origin:", "  deny-hosts: [\"127.0.0.1\"]")
        #expect(try reload(daemon).changed == ["origin.deny-hosts"])
        for target in ["/picture", "/other"] {
            #expect(try daemon.get(origin.url(target), "w=30").text.contains("source_refused"))
        }
        try write("log:", "  level: info")
        #expect(try reload(daemon).changed == ["origin.deny-hosts"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
    }

    @Test func `what redirects led to is not answered any more where that was closed, nor after a restart`()
        throws
    {
        let place = ScriptedOrigin(address: "127.0.0.2") { $0.picture(Pictures.gradient(60, 40)) }
        let target = place.url().absolute
        let moved = ScriptedOrigin { peer in
            peer.answer("301 Elsewhere", fields: ["Location: \(target)", "Cache-Control: max-age=3600"])
        }
        try write("log:", "  level: info")
        let cache = TemporaryFolder()
        func daemon() throws -> DaemonUnderTest {
            try DaemonUnderTest(["--config", file], cache: cache, environment: DaemonUnderTest.trusting)
        }
        let first = try daemon()
        for _ in 1...2 { #expect(try first.get(moved.url(), "w=30").status == 200) }
        #expect(place.heads.count == 1)
        try write("origin:", "  deny-hosts: [\"127.0.0.2\"]")
        #expect(try reload(first).changed == ["origin.deny-hosts"])
        for options in ["w=30", "w=20"] {
            #expect(try first.get(moved.url(), options).text.contains("source_refused"))
        }
        first.stop()
        let second = try daemon()
        #expect(try second.get(moved.url(), "w=30").text.contains("source_refused"))
        #expect(place.heads.count == 1)
        try write("log:", "  level: info")
        #expect(try reload(second).changed == ["origin.deny-hosts"])
        #expect(try second.get(moved.url(), "w=30").status == 200)
    }

    @Test func `what lay behind a name is not answered any more where its network was closed`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        let target = DaemonUnderTest.target("http://localhost:\(origin.port)/picture", "w=30")
        for _ in 1...2 { #expect(try daemon.get(target).status == 200) }
        try write("origin:", "  deny-networks: [127.0.0.0/8]")
        #expect(try reload(daemon).changed == ["origin.deny-networks"])
        #expect(try daemon.get(target).status != 200)
        try write("log:", "  level: info")
        #expect(try reload(daemon).changed == ["origin.deny-networks"])
        #expect(try daemon.get(target).status == 200)
        #expect(origin.heads.count == 2, "it is confirmed by its origin")
    }

    @Test func `a name for another folder gives that folder's files at once, and after a restart`() throws {
        let (one, other) = ("\(folder.path)/one", "\(folder.path)/other")
        for (place, width) in [(one, 60), (other, 90)] {
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            try Data(Pictures.gradient(width, 40)).write(to: URL(filePath: "\(place)/a.png"))
        }
        func lead(to place: String) throws {
            try write("cache:", "  minimum-lifetime: 1h", "origin:", "  files: [\"photos=\(place)\"]")
        }
        let (cache, target) = (TemporaryFolder(), DaemonUnderTest.target("file://photos/a.png", "w=30"))
        func daemon() throws -> DaemonUnderTest {
            try DaemonUnderTest(["--config", file], cache: cache, environment: DaemonUnderTest.trusting)
        }
        try lead(to: one)
        let first = try daemon()
        let before = try first.get(target)
        #expect(before.status == 200)
        try lead(to: other)
        #expect(try reload(first).changed == ["origin.files"])
        let after = try first.get(target)
        #expect(after.status == 200 && after["ETag"] != before["ETag"])
        first.stop()
        try lead(to: one)
        let second = try daemon()
        #expect(try second.get(target)["ETag"] == before["ETag"])
    }

    @Test func `a mistake anywhere changes nothing, and is told`() throws {
        try write("options:", "  presets: [\"thumb=w=30\"]")
        let daemon = try daemon()
        for mistake in [
            "cache:\n  memory: much", "nothing:\n  at: all", "options:\n  watermarks: [\"a=/no/such\"]",
        ] {
            try write("log:", "  level: debug", mistake)
            let reply = try daemon.order("/admin/reload")
            #expect(reply.status == 422 && reply.text.contains("bad_settings"), "\(reply.text)")
            let command = try daemon.command(["reload"])
            #expect(command.status != 0 && !command.error.isEmpty)
        }
        #expect(daemon.logLine(with: "settings not reloaded") != nil)
        #expect(try daemon.get(origin.url(), "preset=thumb").status == 200)
        try FileManager.default.removeItem(atPath: file)
        #expect(try daemon.order("/admin/reload").status == 422, "a file that is gone")
        #expect(try daemon.get(origin.url(), "preset=thumb").status == 200)
        #expect(try daemon.metric("pictor_settings_reload_failures_total") >= 4)
    }

    @Test func `commands to a daemon need none of the secrets that it alone has`() throws {
        let store = ["--s3-buckets", "media", "--s3-access-key", "key"]
        let daemon = try DaemonUnderTest(
            store,
            environment: DaemonUnderTest.trusting.merging(["PICTOR_S3_SECRET_KEY": "of-the-daemon"]) { $1 })
        for order in [["reload"], ["cache", "stats"], ["top", "--once"], ["health"]] {
            let command = try daemon.command(order + store)
            #expect(command.status == 0, "\(order): \(command.error)")
        }
    }

    @Test func `what changes at a restart only is named, and the rest changes`() throws {
        try write("log:", "  level: info")
        let daemon = try daemon()
        try write("cache:", "  memory: 10MiB", "  default-lifetime: 7s", "limits:", "  ipv6-prefix: 56")
        let report = try reload(daemon)
        #expect(report.changed == ["cache.default-lifetime"])
        #expect(report.needs_restart == ["limits.ipv6-prefix", "cache.memory"])
        #expect(Set(report.reasons.keys) == Set(report.needs_restart))
        #expect(daemon.logLine(with: "some settings change at the next start only", "cache.memory") != nil)
        let command = try daemon.command(["reload"])
        #expect(command.status == 0, "\(command.error)")
        #expect(
            command.output == """
                changed: nothing
                at the next start: limits.ipv6-prefix, because connections that are open have been counted by it
                at the next start: cache.memory, because memory is divided between caches and processes once

                """)
    }

    @Test func `the access log is switched on, sampled and redacted without a restart`() throws {
        try write("log:", "  access: false")
        let daemon = try daemon("--server-probes", "true")
        // An exchange is recorded behind its answer and before the next one of its connection; a probe has no line.
        let connection = try Connection(port: daemon.port)
        for (target, status) in [("/nothing?token=first", 404), ("/health/live", 200)] {
            try connection.request(target)
            #expect(try connection.reply().status == status)
        }
        try write("log:", "  access: true", "  redact: [ticket]")
        #expect(try reload(daemon).changed == ["log.access", "log.redact"])
        #expect(try daemon.get("/nothing?token=second&ticket=third").status == 404)
        let line = try #require(daemon.accessLog(of: 1))[0]
        #expect(line.contains("token=second&ticket=REDACTED"), "\(line)")
        try write("log:", "  access: true", "  access-sample: 1000")
        #expect(try reload(daemon).changed == ["log.access-sample", "log.redact"])
        for _ in 1...3 { #expect(try daemon.get(origin.url(), "w=30").status == 200) }
        #expect(try daemon.get("/nothing?token=fourth").status == 404, "which is never left out")
        // The first of a thousand successes has its line.
        let lines = try #require(daemon.accessLog(of: 3))
        #expect(lines.count == 3 && lines.count { $0.contains("\"sample\":1000") } == 1, "\(lines)")
        #expect(lines.contains { $0.contains("token=REDACTED") })
    }

    @Test func `SIGHUP does the same`() throws {
        try write("limits:", "  requests-per-client: off")
        let daemon = try daemon()
        for _ in 1...5 { #expect(try daemon.get("/nothing").status == 404) }
        try write("limits:", "  requests-per-client: 2/1h")
        daemon.signal(SIGHUP)
        #expect(daemon.logLine(with: "settings reloaded", "limits.requests-per-client") != nil)
        #expect((1...5).contains { _ in (try? daemon.get("/nothing").status) == 429 })
        try write("limits:", "  requests-per-client: off")
        daemon.signal(SIGHUP)
        #expect(try Patience.until { try daemon.get("/nothing").status == 404 })
    }

    @Test func `the token changes too, and the old one is worth nothing`() throws {
        let token = "\(folder.path)/token"
        func send(_ text: String) throws -> Int {
            try daemon.admin("/admin/reload", method: "POST", fields: [("Authorization", "Bearer \(text)")])
                .status
        }
        let (old, new) = ("an-old-token-of-the-tests", "a-new-token-of-the-tests")
        try old.write(toFile: token, atomically: true, encoding: .utf8)
        try write("admin:", "  token-file: \(token)")
        let daemon = try DaemonUnderTest(["--config", file])
        #expect(try send(old) == 200)
        let stream = try Connection(port: daemon.adminPort)
        try stream.request("/admin/events", fields: [("Authorization", "Bearer \(old)")])
        #expect(try stream.reply().status == 200)
        try new.write(toFile: token, atomically: true, encoding: .utf8)
        _ = try send(old)
        #expect(try Patience.until { try send(new) == 200 })
        #expect(try send(old) == 401)
        #expect(try stream.read(until: "0\r\n\r\n").isEmpty == false, "its stream has ended")
    }

    @Test func `no request is lost while settings change again and again`() throws {
        try write("cache:", "  default-lifetime: 1m")
        let daemon = try daemon()
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        #expect(try daemon.get(target).status == 200)
        let isOver = Atomic<Bool>(false)
        let answered = Atomic<Int>(0)
        let failed = Atomic<Int>(0)
        let ended = Latch()
        for _ in 1...4 {
            Thread.detachNewThread {
                defer { ended.signal() }
                guard let connection = try? Connection(port: daemon.port) else {
                    return _ = failed.add(1, ordering: .relaxed)
                }
                while !isOver.load(ordering: .relaxed) {
                    let status = try? {
                        try connection.request(target); return try connection.reply().status
                    }()
                    if status == 200 {
                        answered.add(1, ordering: .relaxed)
                    } else {
                        failed.add(1, ordering: .relaxed)
                    }
                    if status == nil { return }
                }
            }
        }
        var round = 0
        // As long as it takes until there were many requests meanwhile.
        let wereMany = try Patience.until {
            round += 1
            try write(
                "cache:", "  default-lifetime: \(round)m", "options:", "  presets: [\"p\(round)=w=30\"]")
            _ = try reload(daemon)
            return round >= 40 && answered.load(ordering: .relaxed) > 100
        }
        isOver.store(true, ordering: .relaxed)
        #expect(wereMany)
        #expect(ended.wait(for: 4))
        #expect(failed.load(ordering: .relaxed) == 0)
    }
}
