// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A shared store that is late is waited for no longer than the origin", .endToEnd)
struct LateStoreTests {
    private static let (old, new) = (Pictures.gradient(60, 40), Pictures.gradient(90, 40))

    /// The picture of the moment.
    private final class CurrentPicture: Sendable {
        let picture = Mutex(LateStoreTests.old)
        /// Signalled with each failure: where there is no picture.
        let failed = Latch()
    }

    private let store = StoreDouble()
    private let current = CurrentPicture()
    private let origin: ScriptedOrigin

    init() {
        origin = ScriptedOrigin { [current] peer in
            let picture = current.picture.withLock(\.self)
            if !picture.isEmpty { return peer.picture(picture) }
            peer.answer("503 Service Unavailable")
            current.failed.signal()
        }
    }

    /// A daemon whose store may take two minutes for each answer: longer than these tests wait for anything.
    private func daemon(cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            store.hedgingFlags + [
                "--shared-store-first-byte-timeout", "2m", "--shared-store-timeout", "4m",
            ],
            cache: cache, environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
    }

    private func raw(
        _ daemon: DaemonUnderTest, _ target: String = "/a.png", of other: ScriptedOrigin? = nil
    ) throws -> Connection.Reply {
        try daemon.get((other ?? origin).url(target), "output=raw")
    }

    private func hedges(_ daemon: DaemonUnderTest, _ winner: String) throws -> Int {
        try daemon.metric("pictor_shared_store_hedges_total", "winner=\"\(winner)\"")
    }

    @Test func `pictures that are cold come from their origin while the store hangs, each with one fetch`()
        throws
    {
        store.behaviour = .hanging
        let daemon = try daemon()
        for number in 1...3 {
            let made = try daemon.get(origin.url("/\(number).png"), "w=30")
            #expect(
                made.status == 200
                    && made["Cache-Status"]?.hasPrefix(
                        "pictor-store;fwd=bypass;detail=late, pictor;fwd=uri-miss;") == true,
                "\(made.text)")
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
        current.picture.withLock { $0 = Self.new }
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
        store.reading = current.failed
        current.picture.withLock { $0 = [] }
        let second = try daemon()
        let reply = try raw(second)
        #expect(reply.status == 200 && reply.body == Self.old, "\(reply.text)")
        #expect(try hedges(second, "store") == 1)
    }

    /// An origin that answers at once, but what it is asked for again once that is released.
    private final class Delays: Sendable {
        let (asked, released) = (Latch(), Latch())
        /// By target: the requests that came over the connection of the latest one before it.
        let predecessors = Mutex<[String: Int]>([:])
        /// Targets that were asked for again, and whose connection brought no request after that.
        let ended = Mutex<Set<String>>([])

        func answer(_ peer: Peer) {
            let isKnown =
                predecessors.withLock { $0.updateValue(peer.predecessors, forKey: peer.target) } != nil
            guard isKnown else { return peer.picture(LateStoreTests.old) }
            asked.signal()
            released.wait(for: asked.count)
            peer.picture(LateStoreTests.old)
            peer.waitForInput()
            if peer.hangsUp(within: 0) { ended.withLock { _ = $0.insert(peer.target) } }
        }

        func predecessors(of target: String) -> Int { predecessors.withLock { $0[target] ?? 0 } }
        func hasEnded(_ target: String) -> Bool { ended.withLock { $0.contains(target) } }
    }

    private final class Reply: Sendable {
        let body = Mutex<[UInt8]?>(nil)
        let came = Latch()
    }

    @Test func `the fetch beside a look that comes first leaves its connection, and nothing is forgotten`()
        throws
    {
        let delays = Delays()
        let origin = ScriptedOrigin { delays.answer($0) }
        let first = try daemon()
        for number in 1...10 {
            if try leavesItsConnection(number, origin, delays, first) { return }
        }
        Issue.record("No fetch beside a look left its connection to the next one.")
    }

    /// False where the machine was too slow: an answer that is unproven for too long has the next fetch take a connection of its
    /// own, and a transfer that nobody waits for is cut after a second.
    private func leavesItsConnection(
        _ number: Int, _ origin: ScriptedOrigin, _ delays: Delays, _ first: DaemonUnderTest
    ) throws -> Bool {
        let (late, before, after) = ("/\(number).png", "/before-\(number).png", "/after-\(number).png")
        store.reading = nil
        let second = try daemon()
        func metric(_ name: String) throws -> Int { try second.metric("pictor_origin_\(name)_total") }
        #expect(try raw(first, late, of: origin).status == 200)
        #expect(
            try Patience.until {
                try first.metric("pictor_shared_store_writes_total", "result=\"written\"") == number
            })
        #expect(try raw(second, before, of: origin).status == 200)
        let (received, connections) = (try metric("bytes"), origin.accepted)
        let (reading, reply) = (Latch(), Reply())
        store.reading = reading
        Thread.detachNewThread {
            let got = try? second.get(origin.url(late), "output=raw")
            reply.body.withLock { $0 = got?.body }
            reply.came.signal()
        }
        #expect(delays.asked.wait(for: number))
        reading.signal()
        // The store's, as the origin has not answered yet.
        #expect(reply.came.wait() && reply.body.withLock(\.self) == Self.old)
        delays.released.signal()
        #expect(try hedges(second, "store") == 1)
        guard delays.predecessors(of: late) > 0 else { return false }
        #expect(
            try Patience.until {
                try delays.hasEnded(late) || metric("bytes") == received + Self.old.count
            })
        store.reading = nil
        #expect(try raw(second, after, of: origin).status == 200)
        guard !delays.hasEnded(late), origin.accepted == connections else { return false }
        #expect(delays.predecessors(of: after) == delays.predecessors(of: late) + 1)
        #expect(try metric("answers_forgotten") == 0 && metric("connections_out_of_step") == 0)
        return true
    }
}
