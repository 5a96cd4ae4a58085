// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

/// An origin that takes long for an answer takes as long for the one that would show that answer to be wrong, so the proof takes
/// two seconds and more. The rows of the index are written within one.
@Suite("An end before the proof leaves no doubtful answer behind", .endToEnd, .timeLimit(.minutes(5)))
struct UnprovenAnswerTests {
    private static let (proved, doubtful) = (100, 101)

    /// Each picture is as wide as its target says.
    private static func origin() -> ScriptedOrigin {
        ScriptedOrigin { peer in
            if peer.target == "/\(doubtful)" { _ = peer.hangsUp(within: 2_000) }
            peer.picture(Pictures.gradient(Int(peer.target.dropFirst()) ?? 1, 20))
        }
    }

    private static func expectBoth(of origin: ScriptedOrigin, from daemon: DaemonUnderTest) throws {
        for target in [proved, doubtful] {
            #expect(try daemon.width(of: origin.url("/\(target)")) == target)
        }
    }

    /// A daemon gives both answers, of which the second is in doubt, and is ended. Then both come from the daemon that `end` leaves:
    /// the origin is asked for the second one again.
    private func forgets(
        start: () throws -> DaemonUnderTest, end: (DaemonUnderTest) throws -> DaemonUnderTest
    ) throws {
        // A machine that is slow enough ends the daemon when the proof is there, or asks over two connections.
        for _ in 1...5 {
            let origin = Self.origin()
            let first = try start()
            try Self.expectBoth(of: origin, from: first)
            try Self.expectBoth(of: origin, from: try end(first))
            let asked = origin.heads.map { String($0.split(separator: " ")[1]) }
            if asked == ["/100", "/101", "/101"] { return }
            #expect(asked == ["/100", "/101"])
        }
        Issue.record("Each answer was kept.")
    }

    private static func originals(of daemon: DaemonUnderTest) throws -> Int {
        try CacheIndex(daemon.cache).names(in: "originals").count
    }

    @Test func `a stop forgets an answer that it cannot wait to see proved`() throws {
        try forgets {
            try DaemonUnderTest()
        } end: { first in
            first.stop()
            return try DaemonUnderTest(cache: first.cache)
        }
    }

    @Test func `the start behind a kill forgets it on disk`() throws {
        try forgets {
            try DaemonUnderTest()
        } end: { first in
            #expect(try Patience.until { try Self.originals(of: first) == 2 })
            first.kill()
            return try DaemonUnderTest(cache: first.cache)
        }
    }

    @Test func `the start behind a kill forgets it in the store that nodes share as well`() throws {
        var store = StoreDouble()
        func node(_ cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
            try DaemonUnderTest(store.flags, cache: cache, environment: StoreDouble.secrets)
        }
        func entries() -> Int { store.objects.keys.count { $0.hasPrefix("pictor/u/") } }
        try forgets {
            store = StoreDouble()
            return try node()
        } end: { first in
            #expect(Patience.until { entries() == 2 })
            first.kill()
            let second = try node(first.cache)
            // The disk has forgotten it before the daemon listens, and the store is told behind that.
            let held = try Self.originals(of: second)
            #expect(Patience.until { entries() == held })
            return try node()
        }
    }
}

extension DaemonUnderTest {
    /// Pixels, as it tells of the original.
    func width(of url: SourceURL) throws -> Int? {
        try get(url, "output=json").text.firstMatch(of: /"width":([0-9]+)/).flatMap { Int($0.1) }
    }
}
