// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A cache that can only be read is read", .endToEnd)
struct ReadOnlyCacheTests {
    private let origin = ScriptedOrigin.pictures()

    @Test func `a daemon started on a read-only disk serves what is there, and keeps again when it can`()
        throws
    {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here; the next test needs no disk of its own.")
        }
        let first = try DaemonUnderTest(cache: disk.folder)
        let made = try first.get(origin.url("/1"), "w=30")
        #expect(first.stop() == 0)
        try #require(disk.setReadOnly(true))

        let second = try DaemonUnderTest(cache: disk.folder)
        try promise(second, serves: made) { #expect(disk.setReadOnly(false)) }
    }

    @Test func `a daemon started on a folder that it may not write does the same`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url("/1"), "w=30")
        #expect(first.stop() == 0)
        let lock = try FolderLock(cache, ["", "/originals", "/renditions", "/incoming"])
        let second = try DaemonUnderTest(cache: cache)
        try promise(second, serves: made) { lock.open() }
    }

    private func promise(
        _ daemon: DaemonUnderTest, serves made: Connection.Reply, whenFree free: () -> Void
    ) throws {
        let held = try daemon.get(origin.url("/1"), "w=30")
        #expect(held.body == made.body)
        #expect(held["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        #expect(try daemon.get(origin.url("/2"), "w=30").status == 200)
        #expect(try daemon.saysTrouble("keeps nothing new"))
        #expect(try daemon.entries("rendition") == 1)
        free()
        #expect(try daemon.saysRecovery())
        #expect(try daemon.get(origin.url("/3"), "w=30").status == 200)
        #expect(try daemon.entries("rendition") == 2)
        #expect(try daemon.get(origin.url("/1"), "w=30").body == made.body)
        #expect(daemon.stop() == 0)
    }

    @Test func `a permission lost while running costs the keeping, until it is given back`() throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-open-files", "0"])
        let made = try daemon.get(origin.url("/1"), "w=30")
        let folders = try FileManager.default.contentsOfDirectory(atPath: daemon.cache.path + "/renditions")
        let lock = try FolderLock(
            daemon.cache,
            ["", "/originals", "/renditions", "/incoming"] + folders.map { "/renditions/\($0)" })
        #expect(try daemon.get(origin.url("/1"), "w=30").body == made.body)
        #expect(try daemon.get(origin.url("/2"), "w=30").status == 200)
        #expect(try daemon.saysTrouble("keeps nothing new"))
        lock.open()
        #expect(try daemon.saysRecovery())
        #expect(try daemon.get(origin.url("/3"), "w=30").status == 200)
        #expect(try daemon.entries("rendition") == 2)
        #expect(try daemon.metric("pictor_disk_damaged_total") == 0)
    }
}

/// Folders that nobody may write, root included.
private final class FolderLock {
    private let paths: [String]

    init(_ cache: TemporaryFolder, _ parts: [String]) throws {
        paths = parts.map { cache.path + $0 }
        try Self.run("/bin/chmod", "0500", paths)
        // Permissions mean nothing to root; the immutable attribute does.
        if access(paths[0], W_OK) == 0 { try Self.run("/usr/bin/chattr", "+i", paths) }
        if access(paths[0], W_OK) == 0 {
            open()
            try Test.cancel("Nothing makes a folder read-only for root here.")
        }
    }

    deinit { open() }

    func open() {
        try? Self.run("/usr/bin/chattr", "-i", paths)
        try? Self.run("/bin/chmod", "0700", paths)
    }

    private static func run(_ command: String, _ option: String, _ paths: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: command)
        process.arguments = [option] + paths
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
    }
}
