// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Stores
import Testing

@Suite("A trial of the cache's folder")
struct FolderTrialTests {
    private func fill(_ cache: CacheUnderTest) throws -> Data {
        let store = try cache.open()
        for number in 0..<10 { try store.keep(rendition: Picture(number, length: 1_000)) }
        store.close()
        return try Data(contentsOf: index(of: cache))
    }

    private func index(of cache: CacheUnderTest) -> URL { URL(filePath: cache.folder + "/index.sqlite") }

    @Test func `leaves all that is held, also where a store would evict`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let before = try fill(cache)
        #expect(FolderTrial.obstacle(cache.configuration { $0.renditionsBudget = 1_000 }) == nil)
        #expect(cache.files("renditions").count == 10)
        #expect(try Data(contentsOf: index(of: cache)) == before)
    }

    /// A damaged index, and one of a later version: the version is at offset 60, big-endian
    /// (https://sqlite.org/fileformat2.html).
    @Test(arguments: [0, 63])
    func `leaves an index in its place that a store would set aside`(offset: Int) throws {
        let cache = try CacheUnderTest(inMemory: true)
        var bytes = try fill(cache)
        bytes[offset] += 1
        try bytes.write(to: index(of: cache))
        #expect(FolderTrial.obstacle(cache.configuration()) == nil)
        #expect(try Data(contentsOf: index(of: cache)) == bytes)
        #expect(!FileManager.default.fileExists(atPath: index(of: cache).path + ".damaged"))
    }

    @Test(
        .enabled(if: geteuid() == 0, "root alone gives files away"),
        arguments: ["incoming", "lock", "originals"])
    func `follows no symbolic link of another user, and one of this`(name: String) throws {
        let (cache, other) = (try CacheUnderTest(), try CacheUnderTest())
        _ = try fill(cache)
        let (path, target) = ("\(cache.folder)/\(name)", other.folder + (name == "lock" ? "/new" : ""))
        try Data().write(to: URL(filePath: other.folder + "/file"))
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        #expect(lchown(path, 65_534, 65_534) == 0)
        guard case .folder = FolderTrial.obstacle(cache.configuration()) else {
            Issue.record("the link is followed")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: other.folder) == ["file"])
        #expect(lchown(path, 0, 0) == 0)
        #expect(FolderTrial.obstacle(cache.configuration()) == nil)
    }

    @Test func `follows a link above the folder, and one of this user's in the place of the index`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        _ = try fill(cache)
        let (link, moved) = (other.folder + "/link", other.folder + "/moved.sqlite")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: cache.folder)
        try FileManager.default.moveItem(atPath: index(of: cache).path, toPath: moved)
        try FileManager.default.createSymbolicLink(
            atPath: index(of: cache).path,
            withDestinationPath: "../\((other.folder as NSString).lastPathComponent)/moved.sqlite")
        #expect(FolderTrial.obstacle(cache.configuration(in: link)) == nil)
        let store = try cache.open(in: link)
        #expect(store.statistics.renditions == 10 && !store.isReadOnly)
        store.close()
    }

    @Test func `follows no link that comes into the place of the index while it is opened`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let outside = cache.folder + "/outside"
        try FileManager.default.createSymbolicLink(
            atPath: index(of: cache).path, withDestinationPath: outside)
        for access in [Database.Access.readWrite, .readOnly, .immutable] {
            #expect(throws: SQLiteError.self) { _ = try Database(path: index(of: cache).path, access) }
        }
        #expect(!FileManager.default.fileExists(atPath: outside))
    }

    @Test func `takes what it has made away, and no file or folder that others have put there`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let (files, file) = (FileManager.default, cache.folder + "/originals/ab/file")
        func takeAway() throws -> [String] {
            FolderTrial.takeAway(
                ["index.sqlite", "lock", "originals", "renditions", "incoming"], of: cache.folder)
            return try files.contentsOfDirectory(atPath: cache.folder)
        }
        #expect(FolderTrial.obstacle(cache.configuration()) == nil)
        try Data().write(to: URL(filePath: file))
        try files.removeItem(atPath: cache.folder + "/incoming")
        try files.createSymbolicLink(
            atPath: cache.folder + "/incoming", withDestinationPath: other.folder)
        #expect(try takeAway() == ["originals"])
        #expect(files.fileExists(atPath: file) && files.fileExists(atPath: other.folder))
        try files.removeItem(atPath: file)
        #expect(try takeAway().isEmpty)
    }

    @Test func `tells who has the folder, and who holds the index`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        _ = try fill(cache)
        let store = try cache.open()
        #expect(FolderTrial.obstacle(cache.configuration()) == .inUse(folder: cache.folder))
        store.close()
        let other = try Database(path: index(of: cache).path, .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        guard case .index = FolderTrial.obstacle(cache.configuration()) else {
            Issue.record("the index is locked")
            return
        }
        try other.execute("ROLLBACK")
        #expect(FolderTrial.obstacle(cache.configuration()) == nil)
    }
}
