// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A shared store that is late is waited for no longer than the origin", .endToEnd)
struct LateStoreTests {
    private static let (old, new) = (Pictures.gradient(60, 40), Pictures.gradient(90, 40))

    /// The picture of the moment.
    private final class Exhibit: Sendable {
        let picture = Mutex(LateStoreTests.old)
        /// Signalled with each failure: where there is no picture.
        let failed = Latch()
    }

    private let store = StoreDouble()
    private let exhibit = Exhibit()
    private let origin: ScriptedOrigin

    init() {
        origin = ScriptedOrigin { [exhibit] peer in
            let picture = exhibit.picture.withLock(\.self)
            if !picture.isEmpty { return peer.picture(picture) }
            peer.answer("503 Service Unavailable")
            exhibit.failed.signal()
        }
    }

    /// Its store may take two minutes for each of its answers: longer than these tests wait for anything.
    private func daemon(cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            store.hedgingFlags + [
                "--shared-store-first-byte-timeout", "2m", "--shared-store-timeout", "4m",
            ],
            cache: cache, environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
    }

    private func raw(_ daemon: DaemonUnderTest, _ target: String = "/a.png") throws -> Connection.Reply {
        try daemon.get(origin.url(target), "output=raw")
    }

    private func hedges(_ daemon: DaemonUnderTest, _ winner: String) throws -> Int {
        try daemon.metric("pictor_shared_store_hedges_total", "winner=\"\(winner)\"")
    }

    @Test func `pictures that are cold come from their origin while the store hangs, each with one fetch`()
        throws
    {
        store.mood = .hanging
        let daemon = try daemon()
        for number in 1...3 {
            let made = try daemon.get(origin.url("/\(number).png"), "w=30")
            #expect(
                made.status == 200 && made["Cache-Status"]?.contains("fwd=uri-miss") == true, "\(made.text)")
            #expect(origin.heads.count == number)
        }
        #expect(try hedges(daemon, "origin") == 3)
        #expect(try daemon.metric("pictor_shared_store_reads_total", "result=\"timeout\"") == 0)
        // They are held now.
        #expect(try raw(daemon, "/1.png").status == 200 && origin.heads.count == 3)
    }

    @Test func `what the store gives late takes the place of nothing newer, here and there`() throws {
        let first = try daemon()
        #expect(try raw(first).body == Self.old)
        #expect(Patience.until { store.objects.count == 1 })
        exhibit.picture.withLock { $0 = Self.new }
        let reading = Latch()
        store.reading = reading
        let second = try daemon()
        #expect(try raw(second).body == Self.new && origin.heads.count == 2)
        reading.signal()
        // The look has ended, and what is asked for now has the store's answers.
        #expect(try raw(second, "/b.png").status == 200)
        #expect(
            try Patience.until {
                try second.metric("pictor_shared_store_writes_total", "result=\"written\"") == 2
            })
        #expect(try raw(second).body == Self.new)
        #expect(try raw(try daemon()).body == Self.new)
        #expect(try hedges(second, "origin") >= 1)
    }

    @Test func `an origin that fails waits for the store`() throws {
        let first = try daemon()
        #expect(try raw(first).body == Self.old)
        #expect(Patience.until { store.objects.count == 1 })
        store.reading = exhibit.failed
        exhibit.picture.withLock { $0 = [] }
        let second = try daemon()
        let reply = try raw(second)
        #expect(reply.status == 200 && reply.body == Self.old, "\(reply.text)")
        #expect(try hedges(second, "store") == 1)
    }
}
