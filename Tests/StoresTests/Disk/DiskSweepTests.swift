// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Pipeline
import Recipes
@testable import Stores
import Synchronization
import Testing

@Suite struct DiskSweepTests {
    @Test func `who wants a sweep while another is under way does not wait for it`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        let (swept, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let isSecond = Atomic(false)
        store.startSweep { _ in
            swept.signal()
            // The wait ends after a while, so that a failing test ends, too.
            _ = end.wait(timeout: .now() + 60)
        }
        swept.wait()
        store.startSweep { _ in isSecond.store(true, ordering: .relaxed) }
        end.signal()
        store.close()
        let isCalled = isSecond.load(ordering: .relaxed)
        #expect(!isCalled)
    }

    @Test func `files without rows go, rows without files go, the rest stays`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<30 {
            try first.keep(original: Picture(number))
            try first.keep(rendition: Picture(number))
        }
        first.close()
        let lostRows = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: lostRows) }
        for path in [Picture(1).digest.hex, Picture.renditionKey(2).digest.hex] {
            for file in cache.files("originals") + cache.files("renditions")
            where file.hasSuffix(path) {
                try FileManager.default.removeItem(atPath: file)
            }
        }
        let folder = Picture.renditionKey(3).digest.hex
        let orphan =
            "\(cache.folder)/renditions/\(folder.prefix(2))/" + folder.prefix(4)
            + String(repeating: "0", count: 60)
        let foreign = "\(cache.folder)/renditions/\(folder.prefix(2))/README"
        for path in [orphan, foreign] { try Data("?".utf8).write(to: URL(fileURLWithPath: path)) }

        let second = try cache.open()
        defer { second.close() }
        let report = second.sweep()
        #expect(report.state == .finished)
        #expect(report.orphans == 1)
        #expect(report.adopted == 0)
        #expect(report.dropped == 2)
        #expect(second.statistics.originals == 29)
        #expect(second.statistics.renditions == 29)
        #expect(FileManager.default.fileExists(atPath: foreign))
        second.flush()
        let again = second.sweep()
        #expect(again.orphans == 0 && again.dropped == 0, "a second sweep finds nothing more")
        #expect(second.bytes(rendition: 3) == Picture(3).bytes)
    }

    @Test func `a file that a sweep cannot remove is left to another sweep`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        // Not even root can unlink a folder.
        let path = try #require(cache.files("renditions").first)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        store.forgetRendition(Picture.renditionKey(1))
        store.flush()
        #expect(store.isSweepDue)
        #expect(store.sweep().orphans == 0)
        #expect(store.isSweepDue)
        try FileManager.default.removeItem(atPath: path)
        try Data().write(to: URL(filePath: path))
        #expect(store.sweep().orphans == 1)
        #expect(!store.isSweepDue)
    }

    @Test func `pauses between sweeps grow, and begin anew after a quiet time`() {
        var pause = AttemptPause(longest: 8)
        var attempts: [Int] = []
        for tick in 0..<32 where pause.isOver(afterTick: tick) {
            attempts.append(tick)
            pause.lengthen(from: tick)
        }
        #expect(attempts == [0, 2, 6, 14, 22, 30])
        // The last pause ended at 38.
        pause.lengthen(from: 47)
        #expect(!pause.isOver(afterTick: 48) && pause.isOver(afterTick: 49))
    }

    @Test func `a sweep follows no link out of the cache's folder`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let store = try cache.open()
        defer { store.close() }
        let (files, ours) = (FileManager.default, cache.folder + "/originals/ab")
        // Folders and files laid out like Git's objects, and like files of an earlier layout.
        try files.createDirectory(atPath: other.folder + "/cd", withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: other.folder + "/cd/object"))
        try files.removeItem(atPath: ours)
        try files.createSymbolicLink(atPath: ours, withDestinationPath: other.folder)
        #expect(store.sweep().state == .finished)
        // As if the sweep had examined the folder that was there before the link.
        store.catalogue.originals.removeFolder("cd", in: "ab")
        #expect(files.fileExists(atPath: other.folder + "/cd/object"))
    }

    @Test func `a disk that fails for a moment costs no rows`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1))
        try store.keep(rendition: Picture(1))
        let files = FileManager.default
        let folders = ["originals", "renditions"].map { kind in
            URL(filePath: cache.files(kind)[0]).deletingLastPathComponent().path
        }
        for folder in folders {
            try files.moveItem(atPath: folder, toPath: folder + "-away")
            // No file in it can be examined, but that does not mean that it is missing.
            try files.createSymbolicLink(atPath: folder, withDestinationPath: folder)
        }
        #expect(store.sweep().dropped == 0)
        for folder in folders {
            try files.removeItem(atPath: folder)
            try files.moveItem(atPath: folder + "-away", toPath: folder)
        }
        #expect(store.bytes(original: Picture(1)) == Picture(1).bytes)
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `what lay in incoming is gone at the next start`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        try cache.open().close()
        try Data("half a picture".utf8).write(to: URL(fileURLWithPath: cache.folder + "/incoming/1"))
        try cache.open().close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder + "/incoming") == [])
    }

    @Test func `closing ends a sweep that rests`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<600 { try first.keep(rendition: Picture(number, length: 1)) }
        first.close()
        let second = try cache.open { $0.sweepPause = 3_600_000 }
        second.startSweep()
        second.close()
        #expect(second.sweepProgress.state == .cancelled)
    }

    @Test func `a sweep takes nothing that is being kept meanwhile`() async throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open { $0.commitInterval = 1 }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for _ in 0..<30 { _ = await store.perform { $0.sweep() } } }
            for task in 0..<3 {
                group.addTask {
                    for number in 0..<150 {
                        await store.perform { store in
                            _ = try? store.keep(rendition: Picture(number * 3 + task, length: 100))
                            _ = try? store.keep(original: Picture(number * 3 + task, length: 100))
                        }
                    }
                }
            }
        }
        #expect(store.sweepProgress.orphans == 0)
        #expect(store.sweepProgress.dropped == 0)
        for number in 0..<450 {
            #expect(store.bytes(rendition: number) == Picture(number, length: 100).bytes)
            #expect(store.bytes(original: Picture(number, length: 100)) == Picture(number, length: 100).bytes)
        }
        store.close()
    }
}
