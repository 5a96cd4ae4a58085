// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
@testable import Stores
import Testing

@Suite("Room for the opening of an index") struct OpeningRoomTests {
    /// A cache with a hundred originals, and a file system that says what the test tells it to.
    private final class Machine {
        /// Free bytes after so many pauses.
        var free: (_ pauses: Int) -> Int = { _ in 0 }
        private(set) var (syncs, pauses) = (0, 0)
        var seconds: Int64 = 1_000
        let attempts = OpeningAttempts()
        let cache: CacheUnderTest
        let folder: CacheFolder

        init(files length: Int = 65_536) throws {
            cache = try CacheUnderTest(inMemory: true)
            folder = try CacheFolder(cache.configuration(), .readWrite)
            for number in 0..<100 { try write(String(number), length) }
        }

        var path: String { cache.folder + "/originals/0a" }
        var names: [String] { Directory.names(in: AT_FDCWD, path) }

        func write(_ name: String, _ length: Int) throws {
            try Data(repeating: 1, count: length).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        }

        func room() -> OpeningRoom {
            OpeningRoom(
                folder, attempts,
                on: OpeningRoom.System(
                    space: {
                        DiskSpace(
                            block: 1, blocks: 1 << 30, free: UInt64(self.free(self.pauses)), inodes: 0,
                            freeInodes: 0, leaving: .bytes(0))
                    },
                    sync: { self.syncs += 1 }, pause: { self.pauses += 1 }, seconds: { self.seconds }))
        }
    }

    @Test func `files leave that have occupied it, also if the file system shows no gain`() throws {
        let machine = try Machine()
        #expect(machine.room().make(), "the opening is tried again all the same")
        #expect((96...99).contains(machine.names.count), "four of 64 KiB, fewer if they occupy more")
        #expect(machine.syncs == 1 && machine.pauses == OpeningRoom.looks)
    }

    @Test func `after an attempt in vain no more files leave for a minute`() throws {
        let machine = try Machine()
        #expect(machine.room().make())
        let count = machine.names.count
        for _ in 0..<59 {
            machine.seconds += 1
            #expect(!machine.room().make())
        }
        #expect(machine.names.count == count)
        machine.seconds += 1
        #expect(machine.room().make() && machine.names.count < count)
    }

    @Test func `after an opening the next lack of room is mended at once`() throws {
        let machine = try Machine()
        #expect(machine.room().make())
        machine.attempts.noteSuccess()
        #expect(machine.room().make())
    }

    @Test func `room that the file system gives late ends the wait for it`() throws {
        let machine = try Machine()
        machine.free = { $0 < 3 ? 0 : 1 << 20 }
        #expect(machine.room().make())
        #expect(machine.syncs == 1 && machine.pauses == 3)
    }

    @Test func `room that is seen at once costs no more than the files that gave it`() throws {
        let machine = try Machine()
        machine.free = { [unowned machine] _ in machine.names.count < 99 ? 1 << 20 : 0 }
        #expect(machine.room().make())
        #expect(machine.names.count == 98 && machine.syncs == 0 && machine.pauses == 0)
    }

    @Test func `with a quota, of which the file system tells nothing, all of it leaves`() throws {
        let machine = try Machine()
        machine.free = { _ in 1 << 29 }
        let full = SQLiteError(code: 778, message: "disk I/O error", systemCode: EDQUOT)
        #expect(machine.room().isLacking(after: full) && machine.room().make())
        #expect(machine.names.count == 92, "eight files, of which four have the bytes")
        #expect(machine.syncs == 1 && machine.pauses == 0)
    }

    @Test func `another failure takes no file while the file system has room`() throws {
        let machine = try Machine()
        machine.free = { _ in 1 << 29 }
        // SQLITE_CANTOPEN and SQLITE_IOERR_WRITE.
        for code: Int32 in [14, 778] {
            let failure = SQLiteError(code: code, message: "", systemCode: EIO)
            #expect(!machine.room().isLacking(after: failure))
        }
        #expect(Directory.names(in: machine.folder.incoming.raw, ".").isEmpty)
    }

    @Test func `only so many small files leave at once`() throws {
        let machine = try Machine(files: 0)
        #expect(machine.room().make() && machine.names.count == 36)
    }

    @Test func `folders, links and files with another name stay, and others leave in their place`() throws {
        let machine = try Machine(files: 0)
        let files = FileManager.default
        for name in machine.names.prefix(99) {
            let path = "\(machine.path)/\(name)"
            if name.hasSuffix("1") {
                try files.removeItem(atPath: path)
                try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            } else if name.hasSuffix("2") {
                try files.removeItem(atPath: path)
                try files.createSymbolicLink(atPath: path, withDestinationPath: machine.cache.folder)
            } else {
                try files.linkItem(atPath: path, toPath: "\(machine.cache.folder)/\(name)")
            }
        }
        #expect(machine.room().make() && machine.names.count == 99)
    }

    @Test func `a cache without files has none to give`() throws {
        let machine = try Machine(files: 0)
        for name in machine.names { try FileManager.default.removeItem(atPath: "\(machine.path)/\(name)") }
        #expect(!machine.room().make() && machine.syncs == 0)
    }
}
