// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Pipeline
@testable import Stores
import Testing
import TestSupport

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
        // The file's own bytes do not prevent it from growing a little more.
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
        // 8 KiB are left, so one more page may be taken.
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
        #expect(held.lookAtNames().count == 1)
        // In truth, that file has no name.
        let others = held.disk.used
        #expect(try unlink(#require(cache.files("renditions").first)) == 0)
        #expect(held.lookAtNames().count == 2)
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
        #expect(hasEnded(ends[0]))
        let threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
        let names = threads.compactMap { thread in
            try? String(contentsOfFile: "/proc/self/task/\(thread)/comm", encoding: .utf8)
        }
        #expect(names.contains("closing-memory\n"))
        #expect(Patience.until { held.memory.used == 0 })
    }

    @Test func `is closed and given back if it is in memory, while the closing of one on the disk hangs`()
        throws
    {
        defer { store.close() }
        let held = HeldBytes(memory: 16 << 20, disk: 16 << 20)
        let (socket, peer) = try lingeringSocket()
        var ends: [Int32] = [-1, -1]
        #expect(pipe(&ends) == 0)
        defer { close(ends[0]) }
        var files = [
            OwnedDescriptor(adopting: socket, in: held.disk, of: held),
            OwnedDescriptor(adopting: ends[1], in: held.memory, of: held),
        ]
        for file in files { try file.grow(to: 2 << 20) }
        // The first file is let go first.
        files.removeFirst()
        files.removeFirst()
        #expect(hasEnded(ends[0]))
        #expect(Patience.until { held.memory.used == 0 })
        #expect(held.disk.used == 2 << 20, "it hangs")
        close(peer)
        #expect(Patience.until { held.disk.used == 0 })
    }

    @Test func `is closed by another thread while its disk hangs, however small it is`() throws {
        defer { store.close() }
        let held = HeldBytes(disk: 16 << 20)
        let (socket, peer) = try lingeringSocket()
        var file: OwnedDescriptor? = OwnedDescriptor(adopting: socket, in: held.disk, of: held)
        try file?.grow(to: 4_096)
        held.noteDisk(hangs: true)
        file = nil
        #expect(held.disk.used == 4_096, "it hangs")
        close(peer)
        #expect(Patience.until { held.disk.used == 0 })
    }

    /// True if the pipe ends within a while, because its other end was closed.
    private func hasEnded(_ pipe: Int32) -> Bool {
        var events = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
        var byte: UInt8 = 0
        return poll(&events, 1, 60_000) == 1 && read(pipe, &byte, 1) == 0
    }

    /// A connection whose close(2) waits until its peer is closed, for two minutes at most (socket(7), SO_LINGER).
    private func lingeringSocket() throws -> (socket: Int32, peer: Int32) {
        let stream = Int32(SOCK_STREAM.rawValue)
        let (listener, client) = (socket(AF_INET, stream, 0), socket(AF_INET, stream, 0))
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 1) == 0
                    && getsockname(listener, $0, &length) == 0 && connect(client, $0, length) == 0
            }
        }
        try #require(isConnected)
        let peer = accept(listener, nil, nil)
        var patience = linger(l_onoff: 1, l_linger: 120)
        setsockopt(client, SOL_SOCKET, SO_LINGER, &patience, socklen_t(MemoryLayout<linger>.size))
        let bytes = [UInt8](repeating: 0, count: 1 << 16)
        while send(client, bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 {}
        return (client, peer)
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
