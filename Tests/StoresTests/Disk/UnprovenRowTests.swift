// SPDX-License-Identifier: Apache-2.0

import Foundation
import Pipeline
import SourceURLs
@testable import Stores
import Synchronization
import Testing
import TestSupport

/// Rows wait for `flush` here, so a copy of the folder is what a kill at that moment would leave.
@Suite("Originals whose answers had no proof when the process was killed", .timeLimit(.minutes(1)))
struct UnprovenRowTests {
    private final class Doubts: Sendable {
        private let keys = Mutex<Set<OriginalKey>>([])

        func become(_ numbers: Int...) {
            let keys = Set(numbers.map { Picture($0).original().key })
            self.keys.withLock { $0 = keys }
        }

        func contains(_ key: OriginalKey) -> Bool { keys.withLock { $0.contains(key) } }
    }

    private let cache: CacheUnderTest
    private let doubts = Doubts()

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    private func open(in folder: String? = nil) throws -> DiskStore {
        try cache.open(in: folder) { [doubts] in $0.isInDoubt = doubts.contains }
    }

    private func key(_ number: Int) -> OriginalKey { Picture(number).original().key }

    /// Which of the first three originals a kill at this moment would leave, and which are forgotten.
    private func afterKill() throws -> (held: [Int], forgotten: [OriginalKey]) {
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let store = try cache.open(in: copy)
        defer { store.close() }
        return ((1...3).filter { store.original(key($0)) != nil }, store.unproven)
    }

    @Test func `are forgotten, and nothing else is`() throws {
        let store = try open()
        defer { store.close() }
        doubts.become(1)
        for number in 1...2 { try store.keep(original: Picture(number), fields: "cache-tag: a\n") }
        try store.keep(rendition: Picture(1))
        store.flush()
        #expect(store.original(key(1)) != nil)
        let copy = try cache.snapshot()
        defer { try? FileManager.default.removeItem(atPath: copy) }
        let next = try cache.open(in: copy)
        #expect(next.unproven == [key(1)])
        #expect(next.original(key(1)) == nil && next.original(key(2)) != nil)
        // The rendition is made from the same bytes, whichever URL they belong to.
        #expect(next.bytes(rendition: 1) == Picture(1).bytes)
        #expect(next.sweep().orphans == 1)
        next.settle(next.unproven)
        try next.keep(original: Picture(1))
        next.close()
        let last = try cache.open(in: copy)
        defer { last.close() }
        #expect(last.unproven.isEmpty && last.original(key(1)) != nil)
    }

    /// As after a start that fails before the shared store has forgotten them, or after a command without the shared store.
    @Test func `are told at each opening until somebody has settled them`() throws {
        let store = try open()
        doubts.become(1, 2)
        for number in 1...3 { try store.keep(original: Picture(number)) }
        store.close()
        doubts.become()
        let second = try open()
        second.settle([key(2)])
        second.close()
        let third = try open()
        #expect(Set(second.unproven) == [key(1), key(2)] && third.unproven == [key(1)])
        third.settle([key(1)])
        third.close()
        let last = try open()
        defer { last.close() }
        #expect(last.unproven.isEmpty && last.original(key(1)) == nil && last.original(key(3)) != nil)
    }

    @Test func `are told also where the index is damaged and set aside`() throws {
        let store = try open()
        doubts.become(1)
        try store.keep(original: Picture(1))
        store.close()
        doubts.become()
        let index = cache.folder + "/index.sqlite"
        let root = try Database(path: index, .readOnly)
            .integer("SELECT rootpage FROM sqlite_schema WHERE name='renditions'")
        var bytes = try Data(contentsOf: URL(fileURLWithPath: index))
        for offset in 0..<4_096 { bytes[(Int(try #require(root)) - 1) * 4_096 + offset] ^= 0xFF }
        try bytes.write(to: URL(fileURLWithPath: index))
        let second = try open()
        #expect(second.setAside != nil && second.unproven == [key(1)])
        second.close()
        let third = try open()
        #expect(third.setAside == nil && third.unproven == [key(1)])
        third.settle(third.unproven)
        third.close()
        let last = try open()
        defer { last.close() }
        #expect(last.unproven.isEmpty)
    }

    @Test func `stay marked if they are in doubt anew when the old doubt is settled`() throws {
        let store = try open()
        doubts.become(1)
        try store.keep(original: Picture(1))
        store.close()
        let next = try open()
        try next.keep(original: Picture(1))
        next.flush()
        next.settle(next.unproven)
        next.close()
        let last = try open()
        defer { last.close() }
        #expect(last.unproven == [key(1)] && last.original(key(1)) == nil)
    }

    @Test func `are told no more if they are proved after the folder was opened anew`() throws {
        let store = try open()
        doubts.become(1)
        try store.keep(original: Picture(1))
        store.close()
        let second = try open()
        #expect(second.unproven == [key(1)])
        second.settle(second.unproven)
        doubts.become()
        second.close()
        let last = try open()
        defer { last.close() }
        #expect(last.unproven.isEmpty)
    }

    private final class Told: Sendable {
        let keys = Mutex<[OriginalKey]>([])
    }

    @Test func `are told of each folder that is opened while the daemon runs`() throws {
        let configuration = cache.configuration { [doubts] in $0.isInDoubt = doubts.contains }
        let disk = try DiskCache(configuration, now: { [cache] in cache.now }) { _ in }
        defer { disk.close() }
        doubts.become(1)
        try #require(disk.store).keep(original: Picture(1))
        disk.store?.flush()
        let told = Told()
        disk.followOpenings { store in told.keys.withLock { $0 = store.unproven } }
        try disk.start()
        try FileManager.default.removeItem(atPath: cache.folder + "/index.sqlite-shm")
        #expect(Patience.until { told.keys.withLock { $0 } == [key(1)] })
    }

    @Test func `are forgotten up to the proof, and stay from then on`() throws {
        let store = try open()
        defer { store.close() }
        doubts.become(1, 2)
        try store.keep(original: Picture(1))
        try store.keep(original: Picture(2))
        store.flush()
        doubts.become(2, 3)
        try store.keep(original: Picture(3))
        store.flush()
        let killed = try afterKill()
        #expect(killed.held == [1] && Set(killed.forgotten) == [key(2), key(3)])
        doubts.become()
        store.forgetOriginal(key(2))
        store.flush()
        let later = try afterKill()
        #expect(later.held == [1, 3] && later.forgotten.isEmpty)
    }

    @Test func `have no mark where the proof comes before the row is written`() throws {
        let store = try open()
        defer { store.close() }
        doubts.become(1)
        try store.keep(original: Picture(1))
        doubts.become()
        store.flush()
        let killed = try afterKill()
        #expect(killed.held == [1] && killed.forgotten.isEmpty)
    }

    @Test func `are forgotten where a confirmation has no proof`() throws {
        let store = try open()
        defer { store.close() }
        try store.keep(original: Picture(1))
        store.flush()
        doubts.become(1)
        let original = Picture(1).original()
        store.refreshOriginal(
            original.key, of: original.digest, freshness: Picture.freshness(lifetime: 9), lastModified: nil,
            cachingFields: "etag")
        store.flush()
        let killed = try afterKill()
        #expect(killed.held.isEmpty && killed.forgotten == [key(1)])
    }

    @Test(arguments: [true, false])
    func `stay after a stop if they are proved by then`(isProved: Bool) throws {
        let store = try open()
        doubts.become(1)
        try store.keep(original: Picture(1))
        store.flush()
        if isProved { doubts.become() }
        store.close()
        let next = try cache.open()
        defer { next.close() }
        #expect((next.original(key(1)) != nil) == isProved && next.unproven.isEmpty == isProved)
    }

    /// An original that does not fit on the disk may still be written to the shared store.
    @Test func `are marked for the shared store also where their row is not kept, up to the proof`() throws {
        let store = try open()
        doubts.become(1, 2)
        #expect(store.noteDoubt(about: key(1)) && store.noteDoubt(about: key(2)))
        let killed = try afterKill()
        #expect(killed.held.isEmpty && Set(killed.forgotten) == [key(1), key(2)])
        doubts.become(2)
        store.close()
        let next = try open()
        defer { next.close() }
        #expect(next.unproven == [key(2)])
    }

    @Test func `are not marked where nobody waits for the disk, or the index cannot be written`() throws {
        let store = try open()
        #expect(!store.noteDoubt(about: key(1), unless: { true }))
        store.close()
        #expect(!store.noteDoubt(about: key(1)))
        let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try index.execute("BEGIN IMMEDIATE")
        let reader = try cache.open()
        defer { reader.close() }
        #expect(!reader.noteDoubt(about: key(1)))
        try index.execute("ROLLBACK")
    }

    @Test func `are told of and not served where the index cannot be written`() throws {
        let store = try open()
        doubts.become(1)
        for number in 1...2 { try store.keep(original: Picture(number)) }
        store.close()
        let index = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try index.execute("BEGIN IMMEDIATE")
        let reader = try cache.open()
        defer { reader.close() }
        #expect(reader.isReadOnly && reader.unproven == [key(1)])
        #expect(reader.original(key(1)) == nil && reader.original(key(2)) != nil)
        try index.execute("ROLLBACK")
    }

    @Test func `are looked at again without another change`() {
        #expect(ChangeQueue(interval: 1).take(.working)?.isEmpty == true)
    }
}
