// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Glibc
import HTTPSemantics
import Kernel
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("Originals from folders")
struct FileSourceTests {
    private let folder = TemporaryFolder()

    private func source(
        limit: Int = 1 << 20, _ change: (inout FileConfiguration) -> Void = { _ in }
    ) -> FileSource {
        var configuration = FileConfiguration()
        configuration.folders = ["photos": folder.path]
        configuration.bodyLimit = limit
        change(&configuration)
        return FileSource(configuration, makeFile: temporaryFile, now: wallClock)
    }

    private func write(_ text: String, to name: String, age seconds: Int = 3600) throws {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: Double(-seconds))], ofItemAtPath: path)
    }

    private func ask(
        _ url: String, of source: FileSource, tag: String? = nil
    ) async throws -> DownloadReply {
        try await source.fetch(Download(url: try SourceURL.parse(url), ifNoneMatch: tag))
    }

    private func failure(_ url: String, of source: FileSource) async throws -> DownloadFailure? {
        do {
            _ = try await ask(url, of: source)
            return nil
        } catch let error as FailedDownload {
            return error.reason
        }
    }

    @Test func `a file is copied, with its digest and a strong validator`() async throws {
        try write("picture", to: "a/b c.jpg")
        let reply = try await ask("file://photos/a/b%20c.jpg", of: source())
        let payload = try #require(reply.payload)
        #expect(reply.status == 200)
        #expect(payload.file.bytes(count: payload.length).map { Array($0.buffer) } == Array("picture".utf8))
        #expect(payload.digest.hex == "2cea274d0bedc39ec4ab6ba9e59ec889e3ed6fb56a1cf088a64d9b383378dc97")
        #expect(EntityTag(try #require(reply.fields["ETag"]))?.isWeak == false)
        #expect(reply.fields["Last-Modified"] != nil)
        #expect(reply.fields["Cache-Control"] == "max-age=0, stale-while-revalidate=0")
    }

    @Test(arguments: [
        (0, 5, 5), (1, 2, 1_000_000_002), (-1, 2, -999_999_998), (9_223_372_036, 854_775_807, Int.max),
        (9_223_372_036, 854_775_808, Int.max), (13_569_465_600, 0, Int.max),
        (-13_569_465_600, 0, Int.min),
    ])
    func `a time too far away for nanoseconds is the nearest that they can count`(
        seconds: Int, rest: Int, nanoseconds: Int
    ) {
        #expect(FileState.nanoseconds(timespec(tv_sec: seconds, tv_nsec: rest)) == nanoseconds)
    }

    @Test func `a large file is copied whole`() async throws {
        let text = String(repeating: "0123456789abcdef", count: 20_000)
        try write(text, to: "large")
        let payload = try #require(try await ask("file://photos/large", of: source()).payload)
        #expect(payload.length == text.utf8.count)
        #expect(
            payload.file.bytes(count: payload.length).map { $0.buffer.elementsEqual(text.utf8) } == true)
    }

    /// A source whose clock is an hour ahead of the files' ctime, which no program can set.
    private func settled() -> FileSource {
        var configuration = FileConfiguration()
        configuration.folders = ["photos": folder.path]
        return FileSource(configuration, makeFile: temporaryFile) { wallClock().adding(seconds: 3600) }
    }

    @Test func `what has not changed is a 304, and each kind of change is seen`() async throws {
        let source = settled()
        let path = "\(folder.path)/a"
        try write("one", to: "a")
        var tag = try await ask("file://photos/a", of: source).fields["ETag"]
        #expect(try await ask("file://photos/a", of: source, tag: tag).status == 304)
        let changes: [(String, () throws -> Void)] = [
            ("other bytes of one length", { try write("two", to: "a") }),
            ("more bytes", { try write("three", to: "a") }),
            (
                "another file with the same time",
                {
                    try write("seven", to: "b")
                    #expect(rename("\(folder.path)/b", path) == 0)
                }
            ),
            (
                "bytes in place, the time set back",
                {
                    let file = try #require(FileHandle(forUpdatingAtPath: path))
                    try file.write(contentsOf: Data("xxxxx".utf8))
                    try file.close()
                    try FileManager.default.setAttributes(
                        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
                }
            ),
        ]
        for (what, change) in changes {
            try change()
            let reply = try await ask("file://photos/a", of: source, tag: tag)
            #expect(reply.status == 200, "\(what)")
            tag = reply.fields["ETag"]
            #expect(try await ask("file://photos/a", of: source, tag: tag).status == 304, "\(what)")
        }
    }

    @Test
    func `a file that has changed just now is read again, since a second change may have the same time`()
        async throws
    {
        try write("one", to: "a")
        var state = stat()
        try #require(stat("\(folder.path)/a", &state) == 0)
        // This clock does not move, however slow the machine is.
        let now = Timestamp(seconds: Int64(state.st_ctim.tv_sec))
        var configuration = FileConfiguration()
        configuration.folders = ["photos": folder.path]
        let source = FileSource(configuration, makeFile: temporaryFile) { now }
        let tag = try await ask("file://photos/a", of: source).fields["ETag"]
        #expect(try await ask("file://photos/a", of: source, tag: tag).status == 200)
    }

    @Test(arguments: ["none", "a/none", "file/below", String(repeating: "n", count: 300)])
    func `what is not there is a 404`(name: String) async throws {
        try write("x", to: "file")
        let reply = try await ask("file://photos/\(name)", of: source())
        #expect(reply.status == 404 && reply.payload == nil)
    }

    @Test func `links, folders, pipes and sockets are refused, wherever they lead`() async throws {
        try write("inside", to: "inside/x")
        let outside = TemporaryFolder()
        try Data("outside".utf8).write(to: URL(filePath: "\(outside.path)/x"))
        symlink("\(outside.path)/x", "\(folder.path)/file-link")
        symlink(outside.path, "\(folder.path)/folder-link")
        symlink("inside/x", "\(folder.path)/inner-link")
        symlink("/proc/self/root", "\(folder.path)/magic")
        mkfifo("\(folder.path)/pipe", 0o644)
        for name in ["file-link", "folder-link/x", "inner-link", "magic/etc/passwd", "pipe", "inside"] {
            let reply = try await ask("file://photos/\(name)", of: source())
            #expect(reply.status == 403, "\(name)")
            #expect(!reply.words.isEmpty, "\(name)")
        }
    }

    @Test func `a device is refused and not opened`() async throws {
        var configuration = FileConfiguration()
        configuration.folders = ["dev": "/dev"]
        let source = FileSource(configuration, makeFile: temporaryFile, now: wallClock)
        for name in ["null", "zero", "tty"] {
            #expect(try await ask("file://dev/\(name)", of: source).words == "no regular file")
        }
    }

    @Test(.enabled(if: geteuid() != 0, "root may read everything"))
    func `what may not be read is a 403`() async throws {
        try write("x", to: "closed")
        chmod("\(folder.path)/closed", 0)
        let reply = try await ask("file://photos/closed", of: source())
        #expect(reply.status == 403 && reply.words == "no permission")
    }

    @Test func `a folder that the settings do not name is refused`() async throws {
        let source = source()
        let refused = DownloadFailure.refused(by: .notListed)
        #expect(source.refusal(of: try SourceURL.parse("file://other/a")) == .notListed)
        #expect(try await failure("file://other/a", of: source) == refused)
        #expect(try await failure("https://photos/a", of: source) == refused)
    }

    @Test func `a list of URLs closes a part of a folder, however its path is escaped`() async throws {
        let source = source {
            $0.policy.deniedURLs = [URLPrefix("file://photos/private/")].compactMap(\.self)
        }
        for path in ["private/a", "%70rivate/a"] {
            #expect(source.refusal(of: try SourceURL.parse("file://photos/\(path)")) == .url)
        }
        #expect(source.refusal(of: try SourceURL.parse("file://photos/privates/a")) == nil)
    }

    @Test func `a file beyond the limit is too large, and one at it is not`() async throws {
        try write("12345", to: "five")
        #expect(try await failure("file://photos/five", of: source(limit: 4)) == .tooLarge(limit: 4))
        #expect(try await failure("file://photos/five", of: source(limit: 5)) == nil)
    }

    @Test func `a folder that is away cannot be reached, and is found when it is back`() async throws {
        let place = "\(folder.path)/disk"
        let source = source { $0.folders = ["photos": place] }
        #expect(try await failure("file://photos/a", of: source) == .cannotConnect)
        #expect(FileSource.obstacle(to: place)?.code == ENOENT)
        try write("x", to: "disk/a")
        #expect(try await ask("file://photos/a", of: source).status == 200)
        #expect(FileSource.obstacle(to: place) == nil)
        #expect(FileSource.obstacle(to: "\(place)/a")?.code == ENOTDIR)
    }

    @Test func `other folders take effect at once, and a source that is shut down answers nothing`()
        async throws
    {
        try write("x", to: "a")
        let source = source()
        #expect(try await ask("file://photos/a", of: source).status == 200)
        var configuration = FileConfiguration()
        configuration.folders = ["pictures": folder.path]
        source.replaceConfiguration(with: configuration)
        #expect(try await failure("file://photos/a", of: source) == .refused(by: .notListed))
        #expect(try await ask("file://pictures/a", of: source).status == 200)
        source.shutdown()
        #expect(try await failure("file://pictures/a", of: source) == .cancelled)
    }

    @Test func `a file that is exchanged all the time is one of its versions, whole`() async throws {
        let (first, second) = (String(repeating: "1", count: 300_000), String(repeating: "2", count: 200_000))
        try write(first, to: "a")
        let source = source()
        let writer = Task.detached { [folder] in
            for round in 0..<60 {
                try Data((round % 2 == 0 ? second : first).utf8).write(to: URL(filePath: "\(folder.path)/n"))
                rename("\(folder.path)/n", "\(folder.path)/a")
            }
        }
        for _ in 0..<60 {
            let payload = try #require(try await ask("file://photos/a", of: source).payload)
            let bytes = try #require(payload.file.bytes(count: payload.length))
            #expect(bytes.buffer.elementsEqual(first.utf8) || bytes.buffer.elementsEqual(second.utf8))
        }
        try await writer.value
    }
}
