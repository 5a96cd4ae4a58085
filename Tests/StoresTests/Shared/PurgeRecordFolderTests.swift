// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPSemantics
import Pipeline
import SourceURLs
@testable import Stores
import Testing

@Suite("The record of purges, where another folder is in the place of its own")
struct PurgeRecordFolderTests {
    private func time(_ seconds: Int64) -> Timestamp { Timestamp(seconds: seconds) }
    private func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://host/\(number)") }

    @Test func `the folder gets all marks, and those that it has count`() throws {
        let cache = try CacheUnderTest()
        let (folder, path) = (cache.folder + "/now", cache.folder + "/now/shared-purges")
        let files = FileManager.default
        func open() throws -> PurgeRecord { try PurgeRecord(path: path, now: { time(5_000) }) }
        func makeFolder() throws {
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        func arePurged(by record: PurgeRecord) -> Bool {
            [1, 2].allSatisfy { record.verdict(on: key($0), tags: [], from: time(1)) == .isPurged }
        }
        try makeFolder()
        try open().add([.init(subject: .originals(.url(key(1))), time: time(1_000))])
        try files.moveItem(atPath: folder, toPath: cache.folder + "/away")
        try makeFolder()
        let record = try open()
        try record.add([.init(subject: .originals(.url(key(2))), time: time(1_000))])
        #expect(!arePurged(by: record))
        try files.moveItem(atPath: folder, toPath: cache.folder + "/other")
        try files.moveItem(atPath: cache.folder + "/away", toPath: folder)
        record.noteMoved()
        try record.settle()
        #expect(arePurged(by: record))
        #expect(try arePurged(by: open()))
        #expect(record.verdict(on: key(3), tags: [], from: time(1)) == .holds)
        try files.removeItem(atPath: folder)
        try makeFolder()
        record.noteMoved()
        try record.settle()
        #expect(try arePurged(by: open()))
    }

    @Test func `a mark goes to those that a folder has whose coming is not noticed yet`() throws {
        let cache = try CacheUnderTest()
        let (folder, path) = (cache.folder + "/now", cache.folder + "/now/shared-purges")
        let files = FileManager.default
        func open() throws -> PurgeRecord { try PurgeRecord(path: path, now: { time(5_000) }) }
        func mark(_ number: Int) -> PurgeMarks.Mark {
            .init(subject: .originals(.url(key(number))), time: time(1_000))
        }
        func makeFolder(movingTo name: String? = nil) throws {
            if let name { try files.moveItem(atPath: folder, toPath: cache.folder + name) }
            try files.createDirectory(atPath: folder, withIntermediateDirectories: false)
        }
        try makeFolder()
        try open().add([mark(1)])
        try makeFolder(movingTo: "/away")
        let record = try open()
        // The file is rewritten for the first mark, and appended to for the second.
        try record.add([mark(2)])
        try record.add([mark(3)])
        try files.moveItem(atPath: folder, toPath: cache.folder + "/other")
        try files.moveItem(atPath: cache.folder + "/away", toPath: folder)
        try record.add([mark(4)])
        for record in [record, try open()] {
            let verdicts = (1...5).map { record.verdict(on: key($0), tags: [], from: time(1)) }
            #expect(verdicts == [.isPurged, .isPurged, .isPurged, .isPurged, .holds])
        }
    }

    @Test func `a file that cannot be read has any mark if it is another one, and no new one else`() throws {
        let cache = try CacheUnderTest()
        let path = cache.folder + "/shared-purges"
        let record = try PurgeRecord(path: path, now: { time(5_000) })
        try record.add([.init(subject: .originals(.url(key(1))), time: time(1_000))])
        func verdicts() -> [PurgeMarks.Verdict] {
            [1, 2].map { record.verdict(on: key($0), tags: [], from: time(1)) }
        }
        // The same file, but larger than any that is read.
        #expect(truncate(path, 65 << 20) == 0)
        record.noteMoved()
        try record.settle()
        #expect(verdicts() == [.isPurged, .holds])
        // The file is kept under another name, so that its inode number is not used again.
        #expect(rename(path, path + "-kept") == 0 && symlink("nowhere", path) == 0)
        record.noteMoved()
        try record.settle()
        #expect(verdicts() == [.isPurged, .isPurged])
    }
}
