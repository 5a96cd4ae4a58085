// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import Testing

@testable import Stores

@Suite("Verifying finds what is damaged, and collecting makes room")
struct DiskMaintenanceTests {
    @Test func `every file is read again, and what does not match is removed and counted`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<20 {
            try store.keep(original: Picture(number, length: 4096))
            try store.keep(rendition: Picture(number, length: 4096))
        }
        store.flush()
        // One changed byte of a body, one cut file, and one missing file; all were right when they were kept.
        let (originals, renditions) = (cache.files("originals"), cache.files("renditions"))
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: originals[0]))
        try file.seek(toOffset: 100)
        try file.write(contentsOf: Data([0xFF, 0x00, 0xFF, 0x00, 0xFF, 0x00]))
        try file.close()
        try FileHandle(forUpdating: URL(fileURLWithPath: renditions[0])).truncate(atOffset: 10)
        try FileManager.default.removeItem(atPath: renditions[1])

        var told: [VerifyReport] = []
        let report = store.verify { told.append($0) }
        #expect(report.total == 40)
        #expect(report.checked == 40)
        #expect((report.damaged, report.missing, report.skipped) == (2, 1, 0))
        #expect(report.bytes == 37 * 4096)
        #expect(told.first?.checked == 0)
        #expect(told.last == report)
        #expect(store.statistics.originals == 19)
        #expect(store.statistics.renditions == 18)
        #expect(cache.files("originals").count == 19)
        #expect(store.verify { _ in }.damaged == 0)
    }

    @Test func `collecting goes down to the low water, removes what belongs to nothing, and packs the index`()
        throws
    {
        let cache = try CacheUnderTest()
        // A hundred files of 8 KiB each.
        let store = try cache.open { $0.originalsBudget = 100 * 8192 }
        defer { store.close() }
        for number in 0..<94 { try store.keep(original: Picture(number, length: 4096)) }
        store.flush()
        #expect(store.statistics.originals == 94, "below the high water nothing goes by itself")
        let orphan = cache.folder + "/originals/00/" + String(repeating: "0", count: 64)
        try FileManager.default.createDirectory(
            atPath: cache.folder + "/originals/00", withIntermediateDirectories: true)
        try Data("x".utf8).write(to: URL(fileURLWithPath: orphan))

        var stages: [CollectReport.Stage] = []
        let report = store.collect { stages.append($0.stage) }
        #expect(report.evicted == 4)
        #expect(report.orphans == 1)
        #expect(report.dropped == 0)
        #expect(report.stage == .done)
        #expect(stages == [.evicting, .sweeping, .compacting, .done])
        #expect(!FileManager.default.fileExists(atPath: orphan))
        #expect(store.statistics.originals == 90)
        #expect(report.indexBytesAfter > 0 && report.indexBytesAfter < report.indexBytesBefore)
    }

    @Test func `a large index is packed in a cache's folder, since there may be no other place to write`()
        throws
    {
        let cache = try CacheUnderTest()
        try cache.open().close()
        let database = try Database(path: cache.folder + "/index.sqlite", .readOnly)
        // The folder of this process's first store.
        let folder = try database.text("PRAGMA temp_store_directory")
        #expect(folder != nil)
    }

    @Test func `both end early when the store closes`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.sweepPause = 60_000 }
        for number in 0..<200 { try store.keep(rendition: Picture(number, length: 8)) }
        let report = store.verify { report in
            if report.checked > 0 {
                store.sweepStop.set()
            }
        }
        #expect(report.checked < report.total)
        store.close()
    }
}
