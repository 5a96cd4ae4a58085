// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Pictures of 3 MB, for which the memory cache has no room.
@Suite("What is held open is within the budgets", .endToEnd)
struct OpenFileBudgetTests {
    private static let picture = Pictures.flat(1_200, 900, [1, 2, 3])
    private let origin = ScriptedOrigin { $0.picture(Self.picture) }
    private static let length = 2_900_000

    private func ask(_ daemon: DaemonUnderTest, _ count: Int) throws {
        for number in 0..<count {
            let reply = try daemon.get(origin.url(), "w=\(1_200 - number)&output=png&l=0")
            #expect(reply.status == 200 && reply.body.count > Self.length)
        }
    }

    @Test func `what has left the disk cache is not kept on the disk by an open descriptor`() throws {
        // Half of it is for renditions: five of them. Others come before there is room again, and are not kept.
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-disk", "32MiB"])
        try ask(daemon, 16)
        #expect(try Patience.until { try daemon.metric("pictor_disk_evictions_total") > 0 })
        #expect(Patience.until { daemon.namelessBytes == 0 })
        #expect(try daemon.metric("pictor_disk_bytes", "kind=\"rendition\"") <= 16 << 20)
    }

    @Test func `while the disk takes nothing, no more is held than memory has room for`() throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "16MiB", "--cache-minimum-free", "1000TiB"])
        try ask(daemon, 8)
        #expect(Patience.until { daemon.namelessBytes == 0 })
        // What memory has room for is held there, and counted.
        let small = try daemon.get(origin.url("/1"), "w=30")
        let again = try daemon.get(origin.url("/1"), "w=30")
        #expect(again["Cache-Status"]?.hasSuffix("detail=memoryHit") == true && again.body == small.body)
        #expect(try daemon.metric("pictor_memory_bytes") <= 16 << 20)
    }
}
