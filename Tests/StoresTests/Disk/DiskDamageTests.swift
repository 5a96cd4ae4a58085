// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

/// What other programs or a failing disk may do to a file.
enum Damage: CaseIterable {
    case bodyByte, footerByte, checksumByte, cutBody, cutToNothing, grown, zeroed, swapped, symbolicLink

    func happen(to path: String, other: String) throws {
        let url = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: url)
        switch self {
        case .bodyByte: data[data.count / 3] ^= 1
        case .footerByte: data[data.count - 64 + 24] ^= 1
        case .checksumByte: data[data.count - 1] ^= 1
        case .cutBody: data = data.prefix(data.count - 100)
        case .cutToNothing: data = Data()
        case .grown: data.append(0)
        case .zeroed: data = Data(count: data.count)
        case .swapped: data = try Data(contentsOf: URL(fileURLWithPath: other))
        case .symbolicLink:
            try FileManager.default.removeItem(at: url)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
            return
        }
        try data.write(to: url)
    }
}

@Suite struct DiskDamageTests {
    @Test(arguments: Damage.allCases)
    func `a damaged rendition is a miss, is removed and is counted`(damage: Damage) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        // The files are equally long, so that only the checksum reveals a swap.
        for number in [1, 2] { try first.keep(rendition: Picture(number, length: 9_000)) }
        first.close()
        let paths = [1, 2].map { number in
            cache.files("renditions").first { $0.hasSuffix(Picture.renditionKey(number).digest.hex) }
                ?? ""
        }
        try damage.happen(to: paths[0], other: paths[1])

        let second = try cache.open()
        defer { second.close() }
        #expect(second.rendition(Picture.renditionKey(1)) != nil)
        #expect(second.bytes(rendition: 1) == nil)
        #expect(second.rendition(Picture.renditionKey(1)) == nil)
        second.flush()
        #expect(cache.files("renditions") == [paths[1]])
        #expect(second.statistics.damaged == 1)
        #expect(second.statistics.renditions == 1)
        #expect(second.bytes(rendition: 2) == Picture(2, length: 9_000).bytes)
        // A good file can be kept in its place.
        try second.keep(rendition: Picture(1))
        #expect(second.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test(arguments: Damage.allCases)
    func `a damaged original is a miss for every URL that led to it`(damage: Damage) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        let picture = Picture(1, length: 9_000)
        for url in ["http://a/", "http://b/"] { try first.keep(original: picture, url: url) }
        try first.keep(original: Picture(2, length: 9_000))
        first.close()
        let paths = [1, 2].map { number in
            cache.files("originals").first { $0.hasSuffix(Picture(number, length: 9_000).digest.hex) }
                ?? ""
        }
        try damage.happen(to: paths[0], other: paths[1])

        let second = try cache.open()
        #expect(second.bytes(original: picture) == nil)
        #expect(second.original(OriginalKey(url: "http://a/")) == nil)
        #expect(second.original(OriginalKey(url: "http://b/")) == nil)
        second.flush()
        #expect(second.statistics.damaged == 1)
        #expect(cache.files("originals") == [paths[1]])
        second.close()
        let third = try cache.open()
        defer { third.close() }
        #expect(third.statistics.originals == 1)
        #expect(third.bytes(original: Picture(2, length: 9_000)) == Picture(2, length: 9_000).bytes)
    }

    @Test func `a damaged original that is opened by one URL is a miss for the other as well`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        let picture = Picture(1, length: 9_000)
        let keys = ["http://a/", "http://b/"].map { OriginalKey(url: $0) }
        for key in keys { try store.keep(original: picture, url: key.url) }
        try Damage.cutBody.happen(to: cache.files("originals")[0], other: "")
        #expect(store.openOriginal(picture.source, of: keys[0]) == nil)
        for key in keys { #expect(store.original(key) == nil) }
        store.flush()
        #expect(cache.files("originals").isEmpty && store.statistics.damaged == 1)
    }

    @Test(arguments: Damage.allCases)
    func `a file altered after its checksum was right once is checked again`(damage: Damage) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for number in [1, 2] {
            try store.keep(rendition: Picture(number, length: 9_000))
            #expect(store.bytes(rendition: number) != nil)
        }
        let paths = [1, 2].map { number in
            cache.files("renditions").first { $0.hasSuffix(Picture.renditionKey(number).digest.hex) }
                ?? ""
        }
        try damage.happen(to: paths[0], other: paths[1])
        #expect(store.bytes(rendition: 1) == nil)
        #expect(store.statistics.damaged == 1)
        #expect(store.bytes(rendition: 2) == Picture(2, length: 9_000).bytes)
    }

    @Test func `a cut file is noticed even after its checksum was right once`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) != nil)
        try Damage.cutBody.happen(to: cache.files("renditions")[0], other: "")
        #expect(store.bytes(rendition: 1) == nil)
        #expect(store.statistics.damaged == 1)
    }

    @Test func `an original that cannot be opened is a miss, and its place is taken by the next`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1))
        let folder = URL(filePath: cache.files("originals")[0]).deletingLastPathComponent().path
        let files = FileManager.default
        try files.moveItem(atPath: folder, toPath: folder + "-away")
        // Opening the file fails, but it is not missing.
        try Data().write(to: URL(filePath: folder))
        #expect(store.bytes(original: Picture(1)) == nil)
        #expect(store.original(Picture(1).original().key) == nil)
        #expect(store.statistics.unreadable == 1 && store.statistics.vanished == 0)
        try files.removeItem(atPath: folder)
        try files.moveItem(atPath: folder + "-away", toPath: folder)
        try store.keep(original: Picture(1))
        #expect(store.bytes(original: Picture(1)) == Picture(1).bytes)
    }

    @Test func `a vanished file is a miss and is counted`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        try store.keep(original: Picture(1))
        for path in cache.files("renditions") + cache.files("originals") {
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(store.bytes(rendition: 1) == nil)
        #expect(store.bytes(original: Picture(1)) == nil)
        #expect(store.original(Picture(1).original().key) == nil)
        #expect(store.statistics.vanished == 2)
        #expect(store.statistics.damaged == 0)
    }

    /// Ways to lose an index.
    enum IndexDamage: CaseIterable {
        case garbage, cut, foreign, laterVersion, flippedPages

        func happen(to path: String) throws {
            let url = URL(fileURLWithPath: path)
            var data = try Data(contentsOf: url)
            switch self {
            case .garbage: data = Data("This is not a database, not at all; it only has its name.".utf8)
            case .cut: data = data.prefix(data.count / 2)
            // https://sqlite.org/fileformat2.html: application id at 68, user version at 60, big-endian.
            case .foreign: data[68] ^= 1
            case .laterVersion: data[63] += 1
            case .flippedPages:
                for offset in stride(from: 4_096, to: data.count, by: 64) { data[offset] ^= 0xFF }
            }
            try data.write(to: url)
        }
    }

    @Test(arguments: IndexDamage.allCases)
    func `a damaged index is set aside, and renditions are found again`(damage: IndexDamage) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<60 {
            try first.keep(original: Picture(number, length: 10))
            try first.keep(rendition: Picture(number))
        }
        first.close()
        let index = cache.folder + "/index.sqlite"
        try damage.happen(to: index)

        let second = try cache.open()
        #expect(second.setAside == index + ".damaged")
        #expect(FileManager.default.fileExists(atPath: index + ".damaged"))
        #expect(second.statistics.originals == 0)
        #expect(second.statistics.renditions == 0)
        let report = second.sweep()
        #expect(report.state == .finished)
        #expect(report.adopted == 60)
        #expect(report.orphans == 60)
        for number in 0..<60 {
            #expect(second.rendition(Picture.renditionKey(number)) == Picture(number).rendition)
            #expect(second.bytes(rendition: number) == Picture(number).bytes)
        }
        second.close()
        let third = try cache.open()
        defer { third.close() }
        #expect(third.setAside == nil)
        #expect(third.statistics.renditions == 60)
    }

    @Test
    func `renditions are found again although the store was closed before its first sweep, and once alone`()
        throws
    {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<20 { try first.keep(rendition: Picture(number)) }
        first.close()
        let index = cache.folder + "/index.sqlite"
        try FileManager.default.removeItem(atPath: index)
        // As by a command that only reads, or a daemon that is stopped at once.
        try cache.open().close()
        let third = try cache.open()
        #expect(third.sweep().adopted == 20)
        third.close()
        // A file that loses its row from now on is an orphan.
        do {
            let database = try Database(path: index, .readWrite)
            try database.execute("DELETE FROM renditions")
        }
        let fourth = try cache.open()
        defer { fourth.close() }
        let report = fourth.sweep()
        #expect((report.adopted, report.orphans) == (0, 20))
    }

    @Test func `a damaged file is not taken back from its footer alone`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        try first.keep(rendition: Picture(1))
        first.close()
        try IndexDamage.garbage.happen(to: cache.folder + "/index.sqlite")
        try Damage.bodyByte.happen(to: cache.files("renditions")[0], other: "")
        let second = try cache.open()
        defer { second.close() }
        _ = second.sweep()
        #expect(second.bytes(rendition: 1) == nil)
        second.flush()
        #expect(cache.files("renditions") == [])
    }
}
