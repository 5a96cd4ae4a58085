// SPDX-License-Identifier: Apache-2.0

import Bytes
import Kernel
import Pipeline
import Recipes
@testable import Stores
import TestSupport
import Testing

@Suite("What is kept while a disk hangs is dropped, or is in memory", .timeLimit(.minutes(1)))
struct HangingDiskKeepTests {
    private let hanging: HangingDisk

    init() throws { hanging = try HangingDisk() }

    private var disk: DiskCache { hanging.disk }

    /// Keeps a body while another thread holds its file's lock, until the disk counts as away and then as back.
    /// - Returns: the body with which the caller goes on.
    private func keepTooLate(
        _ name: Digest, in partition: CachePartition, _ keep: @escaping @Sendable (DiskCache) async -> Body
    ) async throws -> Body {
        let turn = try await hanging.takeTurn(of: name, in: partition)
        let keeping = Task.immediate { await keep(disk) }
        await hanging.untilAway()
        let body = await keeping.value
        await hanging.end()
        turn.join()
        return body
    }

    @Test func `an original kept too late is dropped: its fetch has a descriptor that can be written to`()
        async throws
    {
        let (store, picture) = (try #require(disk.store), Picture(1))
        let body = try store.file(picture.bytes)
        let used = try await keepTooLate(picture.digest, in: store.catalogue.originals) {
            await $0.keep(picture.original(), cachingFields: "etag", body: body)
        }
        #expect(used.descriptor == body.descriptor)
        let again = try #require(disk.store)
        #expect(again.original(picture.original().key) == nil)
        store.flush()
        #expect(hanging.cache.files("originals").isEmpty)
    }

    @Test func `a rendition kept too late is dropped`() async throws {
        let (store, picture) = (try #require(disk.store), Picture(1))
        let body = try store.file(picture.bytes)
        let used = try await keepTooLate(picture.rendition.key.digest, in: store.catalogue.renditions) {
            await $0.keep(picture.rendition, of: picture.original(), body: body)
        }
        #expect(used.descriptor == body.descriptor)
        let again = try #require(disk.store)
        #expect(again.rendition(picture.rendition.key) == nil)
        store.flush()
        #expect(hanging.cache.files("renditions").isEmpty)
    }

    @Test func `what was fetched meanwhile is not followed by what it has replaced`() async throws {
        let store = try #require(disk.store)
        let (replaced, same) = (Picture(1).original(url: "http://host/a"), Picture(3).original())
        try store.keep(original: Picture(1), url: "http://host/a")
        try store.keep(original: Picture(3))
        let (new, again) = (try store.file(Picture(2).bytes), try store.file(Picture(3).bytes))
        await hanging.begin()
        _ = await disk.keep(
            Picture(2).original(url: "http://host/a"), cachingFields: "", body: new)
        _ = await disk.keep(same, cachingFields: "", body: again)
        await hanging.end()
        #expect(disk.store?.original(replaced.key) == nil)
        #expect(disk.store?.original(same.key) != nil, "the same bytes have replaced nothing")
    }

    @Test func `new files are made in memory before the disk counts as away`() async throws {
        let caught = await hanging.call()
        hanging.look(after: 0)
        try disk.makeFile().grow(to: 4_096)
        hanging.look(after: 2_000)
        #expect(disk.store != nil)
        let files = (try disk.makeFile(), try await disk.makeFileAside())
        try files.0.grow(to: 4_096)
        try files.1.grow(to: 4_096)
        withExtendedLifetime(files) {
            #expect(disk.held.memory.used == 8_192)
            #expect(disk.held.disk.used == 0)
        }
        hanging.hang.letGo()
        #expect(await caught.value != nil)
    }
}

extension Body {
    /// The number of the file's descriptor; −1 if the body is in memory.
    fileprivate var descriptor: Int32 {
        if case .file(let file, _) = self { file.raw } else { -1 }
    }
}
