// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("The commands of the cache ask the daemon, or open the folder where none runs", .endToEnd)
struct CacheCommandTests {
    private let origin = ScriptedOrigin { peer in
        peer.picture(Pictures.gradient(60, 40), fields: ["Cache-Tag: all, tag\(peer.target.dropFirst())"])
    }

    private func filled() throws -> DaemonUnderTest {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for number in 1...3 { _ = try daemon.get(origin.url("/\(number)"), "w=30") }
        return daemon
    }

    private func object(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    /// The lines of a list without the time of the last access, which the index may tell an hour late, and at a stop as it is.
    private func lastingParts(_ list: PictorCommand) throws -> [NSDictionary] {
        try list.lines.map { line in
            var parts = try object(line)
            #expect(parts.removeValue(forKey: "accessed") is Int)
            return parts as NSDictionary
        }
    }

    @Test func `purging goes by each selection, and says what went`() throws {
        let daemon = try filled()
        let urls = (1...3).map { origin.url("/\($0)").absolute }
        let dry = try daemon.command(["cache", "purge", "--all", "--dry-run"])
        #expect(
            dry.output.hasPrefix("would be purged: 3 originals, 1 renditions, 3 answers"), "\(dry.output)")
        let one = try daemon.command(["cache", "purge", "--url", urls[0]])
        #expect(one.status == 0, "\(one.error)")
        #expect(one.output.hasPrefix("purged: 1 originals, 0 renditions, 1 answers"), "\(one.output)")
        let tag = try daemon.command(["cache", "purge", "--tag", "tag2", "--json"])
        #expect(try object(tag.output)["originals"] as? Int == 1)
        let soft = try daemon.command(["cache", "purge", "--prefix", urls[2], "--soft"])
        #expect(soft.output.hasPrefix("made stale: 1 originals"))
        let all = try daemon.command(["cache", "purge", "--all", "--json"])
        #expect(try object(all.output)["renditions"] as? Int == 1)
        let host = try daemon.command(["cache", "purge", "--host", "127.0.0.1", "--json"])
        #expect(try object(host.output)["originals"] as? Int == 0)
    }

    @Test(arguments: [["--all", "--tag", "x"], [], ["--tag", "x", "--host", "y"]])
    func `a purge that is not clear is refused before anybody is asked`(arguments: [String]) throws {
        let command = try PictorCommand(["cache", "purge"] + arguments)
        #expect(command.status == 64)
        #expect(command.error.contains("Exactly one"))
    }

    @Test func `looking tells the same with and without a daemon`() throws {
        let daemon = try filled()
        let stats = try object(try daemon.command(["cache", "stats", "--json"]).output)
        #expect((stats["disk"] as? [String: Any])?["originals"] as? Int == 3)
        #expect((stats["memory"] as? [String: Any])?["answers"] as? Int == 3)
        #expect((stats["work"] as? [String: Any])?["fetches"] as? Int == 3)
        let list = try daemon.command(["cache", "list", "--json"])
        #expect(list.lines.count == 3)
        #expect(try object(list.lines[0])["url"] as? String == origin.url("/1").absolute)
        #expect(try daemon.command(["cache", "list", "--limit", "2"]).lines.count == 2)
        #expect(try daemon.command(["cache", "list", "--host", "other.test"]).lines.isEmpty)
        #expect(try daemon.command(["cache", "stats"]).output.contains("3 originals in 1 files"))
        daemon.stop()

        let folder = ["--cache-directory", daemon.cache.path, "--admin-listen", "127.0.0.1:1"]
        let offline = try object(try PictorCommand(["cache", "stats", "--json"] + folder).output)
        #expect((offline["disk"] as? [String: Any])?["originals"] as? Int == 3)
        #expect(offline["memory"] == nil)
        let offlineList = try PictorCommand(["cache", "list", "--json"] + folder)
        #expect(try lastingParts(offlineList) == lastingParts(list))
        let one = ["cache", "purge", "--tag", "tag1", "--json"] + folder
        for arguments in [one + ["--dry-run"], one] {
            let purge = try PictorCommand(arguments)
            #expect(try object(purge.output)["originals"] as? Int == 1)
        }
        #expect(try object(try PictorCommand(one).output)["originals"] as? Int == 0)
        let explain = try PictorCommand(["explain", origin.url("/1").absolute] + folder)
        #expect(explain.status == 1)
        #expect(explain.error.contains("running daemon"))
        let again = try DaemonUnderTest(cache: daemon.cache)
        #expect(try again.get(origin.url("/2"), "w=30")["Cache-Status"]?.hasPrefix("pictor;hit") == true)
        #expect(try again.get(origin.url("/1"), "w=30")["Cache-Status"]?.hasPrefix("pictor;fwd") == true)
    }

    @Test(arguments: [true, false])
    func `damage is found and removed, with progress where it is wanted`(isRunning: Bool) throws {
        let daemon = try filled()
        if !isRunning { daemon.stop() }
        // No port of the daemon's, which another may have by now.
        let folder = ["--cache-directory", daemon.cache.path, "--admin-listen", "127.0.0.1:1"]
        func command(_ words: [String]) throws -> PictorCommand {
            isRunning ? try daemon.command(words) : try PictorCommand(words + folder)
        }
        let rendition = try #require(daemon.cache.files(in: "renditions").first)
        let file = try FileHandle(forUpdating: URL(filePath: "\(daemon.cache.path)/renditions/\(rendition)"))
        try file.write(contentsOf: Data("damaged!".utf8))
        try file.close()
        let verify = try command(["cache", "verify", "--json", "--progress"])
        #expect(verify.status == 3, "\(verify.error)")
        let report = try object(verify.output)
        #expect((report["total"] as? Int, report["damaged"] as? Int) == (2, 1))
        #expect(verify.error.isEmpty == false)
        #expect(daemon.cache.files(in: "renditions").isEmpty)

        let again = try command(["cache", "verify"])
        #expect(again.status == 0, "\(again.error)")
        let gc = try command(["cache", "gc"])
        #expect(gc.status == 0, "\(gc.error)")
        #expect(gc.output.hasPrefix("0 evicted, "))
        #expect(gc.error.isEmpty, "no progress where standard error is no terminal")
    }

    @Test(arguments: ["verify", "gc"])
    func `where the daemon has no cache at present, nothing was looked at`(task: String) throws {
        let daemon = ScriptedOrigin { peer in
            let state = peer.head.hasPrefix("POST") ? "running" : "done"
            peer.answer(body: "{\"task\":\"\(task)\",\"state\":\"\(state)\"}".utf8)
            peer.close()
        }
        let command = try PictorCommand(["cache", task, "--admin-listen", "127.0.0.1:\(daemon.port)"])
        #expect(command.status == 1 && command.error.contains("Nothing was looked at"), "\(command.error)")
    }

    @Test(arguments: [["--fleet-redis", "redis://127.0.0.1:1"], ["--shared-store-bucket", "media"]])
    func `a purge without a daemon says what others keep`(shared: [String]) throws {
        let daemon = try filled()
        daemon.stop()
        let folder = ["--cache-directory", daemon.cache.path, "--admin-listen", "127.0.0.1:1"]
        let purge = ["cache", "purge", "--all"] + folder + shared
        #expect(try PictorCommand(purge + ["--dry-run"]).output.hasPrefix("would be purged: 3 originals"))
        let done = try PictorCommand(purge)
        #expect(done.status == 1 && done.error.contains("Only this folder is purged"), "\(done.error)")
        #expect(try PictorCommand(["cache", "list"] + folder).lines.isEmpty)
    }

    @Test func `explaining takes a source or a whole request`() throws {
        let daemon = try filled()
        let source = origin.url("/1").absolute
        for arguments in [
            [source, "--options", "w=30"], ["http://cdn.test" + DaemonUnderTest.target(source, "w=30")],
        ] {
            let command = try daemon.command(["explain"] + arguments)
            #expect(command.status == 0, "\(command.error)")
            let forecast = try object(command.output)["forecast"] as? [String: Any]
            #expect(forecast?["outcome"] as? String == "memoryHit")
        }
        let other = "/" + DaemonUnderTest.target(source, "w=30").dropFirst("/img".count)
        // A source may have the path of a request.
        let alike = origin.url("/img?id=1").absolute
        for (url, meant) in [(other, source), (alike, alike)] {
            let asked = try object(try daemon.command(["explain", url]).output)["asked"] as? [String: Any]
            #expect(asked?["source"] as? String == meant, "\(url)")
        }
        let wrong = try daemon.command(["explain", source, "--options", "w=x"])
        #expect(wrong.status == 1)
        #expect(wrong.error.contains("\"w\""))
        for arguments in [["w=300"], ["--log-level", "info", "w=300"]] {
            let stray = try daemon.command(["explain", source] + arguments)
            #expect(stray.status == 64 && stray.error.contains("go into --options"), "\(stray.error)")
        }
        let field = try daemon.command(["explain", source, "--accept", "image/webp\r\nX-Other: 1"])
        #expect(field.status == 64 && field.error.contains("--accept has a character"), "\(field.error)")
    }

    @Test func `settings may stand before the URL`() throws {
        let daemon = try filled()
        let address = "127.0.0.1:\(daemon.adminPort)"
        for settings in [
            ["--admin-listen", address], ["--admin-listen=\(address)"], ["--admin-listen", address, "--"],
        ] {
            let command = try PictorCommand(
                ["explain", "--options", "w=30"] + settings + [origin.url("/1").absolute],
                environment: DaemonUnderTest.trusting)
            #expect(command.status == 0, "\(command.error)")
            let forecast = try object(command.output)["forecast"] as? [String: Any]
            #expect(forecast?["outcome"] as? String == "memoryHit")
        }
        let missing = try PictorCommand(["explain", "--admin-listen", "--", origin.url("/1").absolute])
        #expect(missing.status == 78)
        #expect(missing.error.hasPrefix("Error: --admin-listen: needs a value"), "\(missing.error)")
    }

    @Test func `what cannot be done is said clearly`() throws {
        let daemon = try filled()
        let deaf = try PictorCommand([
            "cache", "stats", "--cache-directory", daemon.cache.path, "--admin-listen", "127.0.0.1:1",
        ])
        #expect(deaf.status == 1)
        #expect(deaf.error.contains("A daemon has \(daemon.cache.path) open"), "\(deaf.error)")
        let empty = TemporaryFolder()
        let none = try PictorCommand([
            "cache", "stats", "--cache-directory", empty.path, "--admin-listen", "127.0.0.1:1",
        ])
        #expect(none.status == 1)
        #expect(none.error.contains("There is no cache in \(empty.path)"), "\(none.error)")
        #expect(empty.files(in: ".").isEmpty, "and none is made")
        let stranger = try PictorCommand([
            "cache", "stats", "--cache-directory", empty.path, "--admin-listen",
            "127.0.0.1:\(daemon.adminPort)",
        ])
        #expect(stranger.status == 1)
        #expect(stranger.error.contains("token"))
    }

    /// A service's folder belongs to its user, and root has given the order.
    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `what root makes in the folder of another user is given to that user`() throws {
        let daemon = try filled()
        daemon.stop()
        let nobody: uid_t = 65534
        let path = daemon.cache.path
        // A damaged index is made anew: by root, this time.
        try Data(repeating: 0xA5, count: 40_960).write(to: URL(filePath: path + "/index.sqlite"))
        let all = [path] + (FileManager.default.subpaths(atPath: path) ?? []).map { "\(path)/\($0)" }
        for each in all { #expect(lchown(each, nobody, nobody) == 0) }
        // A second name of a file that is root's elsewhere stays root's.
        let elsewhere = TemporaryFolder()
        try Data("root's".utf8).write(to: URL(filePath: elsewhere.path + "/file"))
        #expect(link(elsewhere.path + "/file", path + "/second-name") == 0)
        #expect(try daemon.command(["cache", "verify"]).status == 0)
        #expect(try daemon.command(["cache", "gc"]).status == 0)
        #expect(FileManager.default.subpaths(atPath: path)?.contains("index.sqlite") == true)
        for each in FileManager.default.subpaths(atPath: path) ?? [] where each != "second-name" {
            var status = stat()
            #expect(lstat("\(path)/\(each)", &status) == 0 && status.st_uid == nobody, "\(each)")
        }
        var status = stat()
        #expect(stat(elsewhere.path + "/file", &status) == 0 && status.st_uid == 0)
    }
}
