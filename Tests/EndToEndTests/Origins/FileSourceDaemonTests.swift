// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Pictures of files in named folders", .endToEnd)
struct FileSourceDaemonTests {
    private let folder = TemporaryFolder()

    private func write(_ picture: [UInt8], to name: String) throws {
        try Data(picture).write(to: URL(filePath: "\(folder.path)/new"))
        rename("\(folder.path)/new", "\(folder.path)/\(name)")
    }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--origin-files", "photos=\(folder.path)"] + flags)
    }

    private func ask(_ daemon: DaemonUnderTest, _ source: String, _ options: String = "w=30") throws
        -> Connection.Reply
    {
        try daemon.get(DaemonUnderTest.target(source, options))
    }

    @Test func `a picture of a file, and of another one in its place at once`() throws {
        let daemon = try daemon()
        try write(Pictures.gradient(60, 40), to: "a.jpg")
        let first = try ask(daemon, "file://photos/a.jpg")
        #expect(first.status == 200)
        let same = try ask(daemon, "file://photos/a.jpg")
        #expect(same["ETag"] == first["ETag"])
        try write(Pictures.gradient(60, 40, hue: 90), to: "a.jpg")
        let second = try ask(daemon, "file://photos/a.jpg")
        #expect(second.status == 200)
        #expect(second["ETag"] != first["ETag"])
        #expect(try daemon.metric("pictor_renders_total") == 2)
    }

    @Test func `imgproxy's URLs have the files of the folder that is called local`() throws {
        try write(Pictures.gradient(60, 40), to: "a.png")
        let daemon = try DaemonUnderTest([
            "--origin-files", "local=\(folder.path)", "--imgproxy-enabled", "true",
        ])
        let reply = try daemon.get("/_/w:30/plain/local:///a.png")
        #expect(reply.status == 200 && reply["Content-Type"] == "image/png", "\(reply.text)")
        let refused = try daemon.get("/_/w:30/plain/s3://media/a.png")
        #expect(refused.status == 400 && refused.text.contains("source_refused"), "\(refused.text)")
    }

    @Test func `a file that is there late is found at once, and one that is gone is gone`() throws {
        let daemon = try daemon()
        #expect(try ask(daemon, "file://photos/a.jpg").status == 404)
        try write(Pictures.gradient(60, 40), to: "a.jpg")
        #expect(try ask(daemon, "file://photos/a.jpg").status == 200)
        try FileManager.default.removeItem(atPath: "\(folder.path)/a.jpg")
        let gone = try ask(daemon, "file://photos/a.jpg")
        #expect(gone.status == 404)
        #expect(gone.text.contains("origin_status") || gone.text.contains("not_found"), "\(gone.text)")
    }

    @Test(arguments: [
        ("file://other/a.jpg", 400, "source_refused"), ("file:///etc/passwd", 400, "file://"),
        ("file://photos/../a.jpg", 400, "segment"), ("file://photos/link", 502, "The origin answered 403"),
        ("s3://photos/a.jpg", 400, "source_refused"),
    ])
    func `what is not given away is refused in clear words`(source: String, status: Int, words: String) throws
    {
        symlink("/etc/passwd", "\(folder.path)/link")
        let reply = try ask(try daemon(), source)
        #expect(reply.status == status, "\(reply.text)")
        #expect(words.isEmpty || reply.text.contains(words), "\(reply.text)")
        #expect(!reply.text.contains(folder.path))
    }

    @Test func `without folders there are no files`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try ask(daemon, "file://photos/a.jpg").text.contains("source_refused"))
    }

    @Test func `the log says why a file was refused`() throws {
        symlink("/etc/passwd", "\(folder.path)/link")
        let daemon = try daemon()
        _ = try ask(daemon, "file://photos/link")
        #expect(
            daemon.logLine(with: "no picture was fetched", "file://photos/link", "a symbolic link") != nil)
    }

    @Test func `nobody is sent to a file`() throws {
        let daemon = try daemon("--options-default-hosts", "*")
        let reply = try ask(daemon, "file://photos/none.jpg", "w=30&default=1")
        #expect(reply.status == 404 && reply["Location"] == nil)
        #expect(try ask(daemon, "file://photos/none.jpg", "w=30&default=file://photos/a.jpg").status == 400)
    }

    @Test func `no redirect leads to a file`() throws {
        let origin = ScriptedOrigin { $0.answer("302 Found", fields: ["Location: file://photos/a.jpg"]) }
        try write(Pictures.gradient(60, 40), to: "a.jpg")
        #expect(try daemon().get(origin.url(), "w=30").text.contains("source_refused"))
    }

    @Test func `a crowd behind one file reads it once`() async throws {
        let daemon = try daemon()
        try write(Pictures.gradient(600, 400), to: "a.jpg")
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for width in 0..<40 {
                group.addTask { try ask(daemon, "file://photos/a.jpg", "w=\(30 + width % 2)").status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.allSatisfy { $0 == 200 })
        #expect(try daemon.metric("pictor_renders_total") == 2)
    }

    @Test func `what is held is served while the folder is away`() throws {
        let daemon = try daemon()
        try write(Pictures.gradient(60, 40), to: "a.jpg")
        let first = try ask(daemon, "file://photos/a.jpg")
        rename(folder.path, folder.path + "-away")
        defer { rename(folder.path + "-away", folder.path) }
        let stale = try ask(daemon, "file://photos/a.jpg")
        #expect(stale.status == 200 && stale["ETag"] == first["ETag"])
        #expect(try ask(daemon, "file://photos/b.jpg").status == 502)
    }

    @Test func `purges name files as they name URLs`() throws {
        let daemon = try DaemonUnderTest(
            ["--origin-files", "photos=\(folder.path)"], environment: DaemonUnderTest.trusting)
        try write(Pictures.gradient(60, 40), to: "a.jpg")
        #expect(try ask(daemon, "file://photos/a.jpg").status == 200)
        let purge = try daemon.order("/admin/purge", #"{"prefix": "file://photos/"}"#)
        #expect(purge.text.contains("\"originals\":1"), "\(purge.text)")
    }

    @Test func `check tries the folders`() throws {
        func check(_ flags: String...) throws -> PictorCommand {
            try PictorCommand.check(flags, cache: folder.path + "/cache")
        }
        #expect(try check("--origin-files", "photos=relative").status == 78)
        #expect(try check("--origin-files", "Photos=/srv").status == 78)
        #expect(try check("--origin-files", "photos=/srv,photos=/home").status == 78)
        #expect(try check("--origin-files", "photos=\(folder.path)", "--online").status == 0)
        let away = try check("--origin-files", "photos=\(folder.path)/none", "--online")
        #expect(away.status == 1 && away.error.contains("origin.files: the folder photos cannot be entered"))
    }
}
