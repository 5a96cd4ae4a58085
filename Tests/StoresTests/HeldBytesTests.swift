// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Pipeline
@testable import Stores
import Testing

@Suite("A file that no cache counts") struct HeldBytesTests {
    private let cache: CacheUnderTest
    private let held = HeldBytes(memory: 1 << 20, disk: 1 << 20)
    private let store: DiskStore

    init() throws {
        cache = try CacheUnderTest(inMemory: true)
        var configuration = cache.configuration()
        configuration.held = held
        let cache = cache
        store = try DiskStore(configuration, now: { cache.now })
    }

    @Test func `counts from its first byte until it is closed, and may take no more than it leaves`() throws {
        defer { store.close() }
        var first: OwnedDescriptor? = try store.makeFile()
        #expect(held.disk.used == 0)
        #expect(throws: SystemError.heldBytesSpent) { try first?.grow(to: (1 << 19) + 1) }
        #expect(held.disk.used == 0 && held.disk.refusals == 1)
        try first?.grow(to: 1 << 19)
        let second = try store.makeFile()
        #expect(throws: SystemError.heldBytesSpent) { try second.refuse((1 << 18) + 1) }
        try second.grow(to: 1 << 18)
        // What it has is no reason against a little more.
        try second.grow(to: 1 << 18)
        #expect(held.disk.used == 3 << 18 && held.disk.isCrowded && held.memory.used == 0)
        #expect(second.crowdingBytes == 1 << 18)
        first = nil
        #expect(held.disk.used == 1 << 18 && second.crowdingBytes == 0)
    }

    @Test func `is not made once none has room`() throws {
        defer { store.close() }
        var files: [OwnedDescriptor] = []
        for shift in 1...13 {
            let file = try store.makeFile()
            files.append(file)
            if shift < 8 { try file.grow(to: 1 << (20 - shift)) }
        }
        // 8 KiB are left: one of a page may come.
        #expect(held.disk.used == (1 << 20) - (8 << 10))
        try files[10].grow(to: 4_096)
        #expect(throws: SystemError.heldBytesSpent) { _ = try store.makeFile() }
        files = []
        #expect(held.disk.used == 0)
        _ = try store.makeFile()
    }

    @Test func `is counted by the cache while it has its name there, and again once it has lost it`() throws {
        defer { store.close() }
        var kept = try store.keep(rendition: Picture(1, length: 200_000))
        let spool = try store.makeFile()
        try spool.grow(to: 200_000)
        spool.takeName()
        #expect(held.disk.used == 0)
        held.lookAtNames()
        // That one has none in truth.
        let others = held.disk.used
        #expect(try unlink(#require(cache.files("renditions").first)) == 0)
        held.lookAtNames()
        #expect(held.disk.used > others + 200_000, "with its footer")
        kept = .bytes(ImmutableBytes([]))
        held.lookAtNames()
        #expect(held.disk.used == others && kept.length == 0)
    }

    @Test func `is closed and given back by another thread if it is large`() throws {
        defer { store.close() }
        let held = HeldBytes(memory: 16 << 20)
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var file: OwnedDescriptor? = OwnedDescriptor(adopting: ends[1], in: held.memory, of: held)
        try file?.grow(to: 2 << 20)
        #expect(held.memory.used == 2 << 20)
        file = nil
        var byte: UInt8 = 0
        // Waits for the end that the close brings.
        #expect(read(ends[0], &byte, 1) == 0)
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let names = threads.compactMap { thread in
            try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
        }
        #expect(names.contains("closing\n"))
        for _ in 0..<6_000 where held.memory.used > 0 { usleep(10_000) }
        #expect(held.memory.used == 0)
    }

    @Test func `is in memory where the disk takes none, within that budget`() throws {
        defer { store.close() }
        let file = try held.makeInMemory()
        try file.grow(to: 1 << 19)
        #expect(held.memory.used == 1 << 19 && held.disk.used == 0)
        #expect(throws: SystemError.heldBytesSpent) {
            _ = try MemoryFile.holding(ImmutableBytes([UInt8](repeating: 1, count: (1 << 18) + 1)), of: held)
        }
        #expect(held.memory.used == 1 << 19 && held.memory.refusals == 1)
    }
}
