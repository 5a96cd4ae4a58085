// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageModel
import Pipeline
import Testing

@testable import Stores

/// The file system's size is not ours to choose, so the minimum is chosen around what is free.
@Suite struct DiskRoomTests {
    private func free(_ shelf: Shelf) throws -> Int {
        var status = statvfs()
        try #require(statvfs(shelf.folder, &status) == 0)
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    private func fill(_ shelf: Shelf) throws {
        let store = try shelf.open()
        for number in 0..<600 {
            try store.keep(rendition: Picture(number, length: 100))
            try store.keep(original: Picture(number, length: 100))
        }
        store.close()
    }

    @Test func `below the minimum free entries leave, and new ones still come`() throws {
        let shelf = try Shelf(inMemory: true)
        try fill(shelf)
        let minimum = try free(shelf) * 3 / 2
        let store = try shelf.open { $0.minimumFree = .bytes(minimum) }
        defer { store.close() }
        store.flush()
        #expect(store.statistics.renditions == 0 && store.statistics.originals == 0)
        #expect(store.statistics.evicted == 1_200)
        #expect(shelf.files("renditions").isEmpty && shelf.files("originals").isEmpty)
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(store.health == .good)
    }

    @Test func `below half of the minimum nothing new is kept`() throws {
        let shelf = try Shelf(inMemory: true)
        let minimum = try free(shelf) * 3
        let store = try shelf.open { $0.minimumFree = .bytes(minimum) }
        defer { store.close() }
        let body = try store.keep(rendition: Picture(1))
        #expect(body.contents == Picture(1).bytes)
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        #expect(store.health != .good)
        store.lookAfter()
        #expect(store.health != .good)
    }

    @Test
    func
        `a shortage that comes while running makes entries leave, both kinds alike, and no more than needed`()
        throws
    {
        let shelf = try Shelf(inMemory: true)
        let store = try shelf.open()
        defer { store.close() }
        for number in 0..<600 {
            try store.keep(rendition: Picture(number, length: 100))
            try store.keep(original: Picture(number, length: 100))
        }
        let held = store.catalogue.bytes
        #expect(held == 1_200 * 4_096)
        var evictor = Evictor(store.catalogue, high: 0.95, low: 0.9, seed: 1)
        #expect(evictor.next(at: store.seconds, shortage: 0).isEmpty)
        #expect(evictor.next(at: store.seconds, shortage: held / 10).count == 120)
        #expect(store.statistics.originals == 540 && store.statistics.renditions == 540)
        #expect(evictor.next(at: store.seconds, shortage: .max).count == 2 * Evictor.slice)
    }

    @Test(arguments: [
        (FreeSpace.percent(2), 1_000_000, 20_000), (.bytes(5), 1_000_000, 5), (.percent(0), 1_000_000, 0),
    ])
    func `a minimum is bytes or a part of the file system`(space: FreeSpace, size: Int, bytes: Int) {
        #expect(space.bytes(of: size) == bytes)
    }
}
