// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The daemon on a disk whose sectors fail when a test says so.
private final class FailingDisk {
    let daemon: DaemonUnderTest
    private let list = TemporaryFolder()

    /// - Parameters:
    ///   - cache: a folder to go on with; nil = a new one.
    ///   - spoilt: files of the folder of which reads fail from the start.
    init(_ flags: [String], cache: TemporaryFolder? = nil, spoilt: [String] = []) throws {
        try Self.spoil(spoilt.map { "\(cache?.path ?? "")/\($0)" }, in: list)
        daemon = try DaemonUnderTest(
            flags, cache: cache, program: "hostile-pictor",
            environment: ["BAD_SECTORS": list.path + "/bad"])
    }

    /// Reads of these files fail from now on. Nothing about them changes.
    func spoil(_ kind: String) throws {
        let files = daemon.cache.files(in: kind).map { "\(daemon.cache.path)/\(kind)/\($0)" }
        try Self.spoil(files, in: list)
    }

    private static func spoil(_ files: [String], in list: TemporaryFolder) throws {
        let numbers = files.map { file in
            var status = stat()
            stat(file, &status)
            return "\(status.st_ino)\n"
        }
        try numbers.joined().write(toFile: list.path + "/bad", atomically: true, encoding: .utf8)
    }
}

@Suite("A file that cannot be read costs one answer, and is made anew", .endToEnd)
struct BrokenFileTests {
    private let origin = ScriptedOrigin.pictures()

    @Test(arguments: ["", "&encoding=base64"])
    func `an answer that breaks off is the last one from that file`(how: String) throws {
        // So small a memory that even these pictures are sent from their files.
        let disk = try FailingDisk(["--cache-memory", "0B"])
        let daemon = disk.daemon
        let made = try daemon.get(origin.url("/1"), "w=60\(how)")
        #expect(made.status == 200)
        let held = try daemon.get(origin.url("/1"), "w=60\(how)")
        #expect(held["Cache-Status"]?.hasSuffix("detail=diskHit") == true && held.body == made.body)
        try disk.spoil("renditions")
        #expect(throws: Connection.Failure.self) { try daemon.get(origin.url("/1"), "w=60\(how)") }
        for _ in 0..<3 {
            let next = try daemon.get(origin.url("/1"), "w=60\(how)")
            #expect(next.status == 200 && next.body == made.body)
        }
        #expect(try daemon.metric("pictor_disk_unreadable_total") == 1)
        #expect(daemon.logLine(with: "could not be read", "renditions/", "Input/output error") != nil)
        #expect(try daemon.metric("pictor_renders_total") == 2)
        // The bad file has no name any more, and nobody holds it.
        #expect(
            Patience.until { daemon.cache.files(in: "renditions").count == 1 && daemon.namelessBytes == 0 })
    }

    @Test func `an original that cannot be read is fetched again, and its picture not called damaged`() throws
    {
        let torn = Array(Pictures.gradient(120, 90).prefix(20_000))
        let whole = Pictures.gradient(120, 90)
        let fetches = Latch()
        let origin = ScriptedOrigin { peer in
            fetches.signal()
            peer.picture(fetches.count == 1 ? torn : whole)
        }
        let disk = try FailingDisk([])
        let daemon = disk.daemon
        // As a decoder sees it whose reads fail in the middle, and which therefore calls the picture damaged. It has learnt
        // nothing before: a size is known to fail when it was tried.
        #expect(try daemon.get(origin.url(), "output=json").status == 200)
        try disk.spoil("originals")
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        #expect(try daemon.metric("pictor_disk_unreadable_total") == 1)
        #expect(fetches.count == 2)
    }

    @Test func `an index with a bad sector is replaced after a few tries, and renditions are found again`()
        throws
    {
        let cache = TemporaryFolder()
        let made: [UInt8]
        do {
            let daemon = try DaemonUnderTest(cache: cache)
            made = try daemon.get(origin.url("/1"), "w=60").body
            #expect(daemon.stop() == 0)
        }
        let disk = try FailingDisk([], cache: cache, spoilt: ["index.sqlite"])
        let aside = cache.path + "/index.sqlite.damaged"
        #expect(Patience.until { FileManager.default.fileExists(atPath: aside) })
        #expect(
            try Patience.until { try disk.daemon.metric("pictor_disk_entries", "kind=\"rendition\"") == 1 })
        #expect(try disk.daemon.get(origin.url("/1"), "w=60").body == made)
        #expect(try disk.daemon.metric("pictor_renders_total") == 0)
    }

    @Test func `what has decayed is found before anybody asks for it`() throws {
        let cache = TemporaryFolder()
        do {
            let daemon = try DaemonUnderTest(cache: cache)
            for number in 0..<3 { #expect(try daemon.get(origin.url("/\(number)"), "w=60").status == 200) }
            #expect(daemon.stop() == 0)
        }
        let files = ["originals", "renditions"].flatMap { kind in
            cache.files(in: kind).map { "\(cache.path)/\(kind)/\($0)" }
        }
        try #require(files.count == 6)
        for file in [files[0], files[3], files[4]] { try Alteration.bitFlipped.happen(to: file, other: "") }
        let daemon = try DaemonUnderTest(["--cache-scrub-rate", "100MiB"], cache: cache)
        #expect(try Patience.until { try daemon.metric("pictor_disk_damaged_total") == 3 })
        #expect(daemon.logLine(with: "files of the cache on disk", "checksum") != nil)
        #expect(Patience.until { !files.allSatisfy(FileManager.default.fileExists) })
    }

    @Test func `what is held open of a deleted folder is let go`() throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B"])
        let made = try (0..<3).map { try daemon.get(origin.url("/\($0)"), "w=60").body }
        for number in 0..<3 { #expect(try daemon.get(origin.url("/\(number)"), "w=60").body == made[number]) }
        try FileManager.default.moveItem(atPath: daemon.cache.path, toPath: daemon.cache.path + "-aside")
        try FileManager.default.removeItem(atPath: daemon.cache.path + "-aside")
        #expect(try Patience.until { try daemon.metric("pictor_disk_reopened_total") == 1 })
        // Nobody asks meanwhile.
        #expect(Patience.until { daemon.namelessBytes == 0 })
        for number in 0..<3 { #expect(try daemon.get(origin.url("/\(number)"), "w=60").body == made[number]) }
    }
}
