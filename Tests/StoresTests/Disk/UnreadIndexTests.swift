// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Stores
import Testing

@Suite("An index of which a part cannot be read")
struct UnreadIndexTests {
    private static let unread = DiskStoreError.index(
        SQLiteError(code: SQLiteError.badSector, message: "disk I/O error"))
    private static let others: [DiskStoreError] = [
        .inUse(folder: "/cache"), .replaced(folder: "/cache"),
        // SQLITE_CANTOPEN, as without a right or a descriptor, and SQLITE_BUSY.
        .index(SQLiteError(code: 14, message: "unable to open database file")),
        .index(SQLiteError(code: 5, message: "database is locked")),
        // SQLITE_IOERR_READ, as where memory is short.
        .index(SQLiteError(code: 266, message: "disk I/O error")),
    ]

    @Test func `is set aside at each third opening, while the disk reads other files`() {
        var index = UnreadIndex()
        let isSetAside = (1...6).map { _ in index.mustSetAside(after: Self.unread) { true } }
        #expect(isSetAside == [false, false, true, false, false, true])
    }

    @Test func `stays for as long as the disk reads nothing at all`() {
        var index = UnreadIndex()
        for _ in 1...100 { #expect(!index.mustSetAside(after: Self.unread) { false }) }
        for isSetAside in [false, false, true] {
            #expect(index.mustSetAside(after: Self.unread) { true } == isSetAside)
        }
    }

    @Test(arguments: others)
    func `stays if another trouble comes in between, which asks nothing of the disk`(other: DiskStoreError) {
        var index = UnreadIndex()
        for _ in 1...2 { #expect(!index.mustSetAside(after: Self.unread) { true }) }
        let isSetAside = index.mustSetAside(after: other) {
            Issue.record("the disk was asked")
            return true
        }
        #expect(!isSetAside && !index.mustSetAside(after: Self.unread) { true })
    }

    @Test func `stays if an opening has succeeded in between`() {
        var index = UnreadIndex()
        for _ in 1...2 { #expect(!index.mustSetAside(after: Self.unread) { true }) }
        index.reset()
        #expect(!index.mustSetAside(after: Self.unread) { true })
    }

    @Test func `a trial of the disk writes nothing while the cache has files`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        try store.keep(rendition: Picture(1))
        store.close()
        // Nothing can be written where the folder is missing.
        let incoming = cache.folder + "/incoming"
        try FileManager.default.removeItem(atPath: incoming)
        #expect(ReadTrial.succeeds(in: cache.folder))
        #expect(!FileManager.default.fileExists(atPath: incoming))
    }

    @Test func `a trial of the disk leaves nothing behind`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        try cache.open().close()
        #expect(ReadTrial.succeeds(in: cache.folder))
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder + "/incoming").isEmpty)
        #expect(!ReadTrial.succeeds(in: cache.folder + "/absent"))
    }
}
