// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Pictures come with an `Age` beyond their lifetime, so that no test waits for one to pass.
@Suite("Within its grace a stale picture is served at once, and refreshed behind the answer", .endToEnd)
struct StaleWhileRevalidateTests {
    private static let picture = Pictures.gradient(60, 40)
    private static let grace = "Cache-Control: max-age=60, stale-while-revalidate=3600"

    /// Stale with grace at first; the refresh is signalled, waits until it may pass, and is then answered like this.
    private struct DaemonAndOrigin {
        let asked = Latch()
        let release = Latch()
        let origin: ScriptedOrigin
        let daemon: DaemonUnderTest

        init(
            _ fields: [String] = [grace, "Age: 100"], flags: [String] = [],
            refresh: @escaping @Sendable (Peer) -> Void = {
                $0.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
            }
        ) throws {
            origin = ScriptedOrigin { [asked, release] peer in
                guard peer.has("If-None-Match: \"one\"") else {
                    return peer.answer(fields: ["ETag: \"one\""] + fields, body: picture)
                }
                asked.signal()
                release.wait()
                refresh(peer)
            }
            daemon = try DaemonUnderTest(
                [
                    "--cache-stale-if-error", "0s", "--origin-first-byte-timeout", "2m", "--origin-timeout",
                    "3m",
                ] + flags)
        }

        func isStale(_ target: String = "/picture") throws -> Bool {
            let reply = try daemon.get(origin.url(target), "w=30")
            #expect(reply.status == 200)
            return reply["Cache-Status"]?.hasSuffix("detail=stale") == true
        }

        /// Asks until it is answered without the word `stale`.
        func becomesFresh(_ target: String = "/picture") throws -> Bool {
            try Patience.until { try !isStale(target) }
        }
    }

    @Test func `a crowd is served while one request is under way`() throws {
        let pair = try DaemonAndOrigin()
        #expect(try !pair.isStale())
        for _ in 1...20 { #expect(try pair.isStale()) }
        #expect(pair.asked.wait())
        pair.release.signal()
        #expect(try pair.becomesFresh())
        #expect(pair.asked.count == 1)
        #expect(try pair.daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `a stale answer says how stale it is`() throws {
        let pair = try DaemonAndOrigin()
        pair.release.signal()
        _ = try pair.isStale()
        let reply = try pair.daemon.get(pair.origin.url(), "w=30")
        let status = try #require(reply["Cache-Status"])
        let left = try #require(status.firstMatch(of: /^pictor; ?hit; ?ttl=(-[0-9]+); ?detail=stale$/))
        #expect((-3600 ... -40).contains(Int(left.1) ?? 0))
        #expect(try #require(reply["Age"].flatMap(Int.init)) >= 100)
    }

    @Test(
        arguments: [
            // Beyond the window; forbidden; never granted.
            [grace, "Age: 3660"],
            ["Cache-Control: max-age=60, stale-while-revalidate=3600, must-revalidate", "Age: 100"],
            ["Cache-Control: max-age=60, stale-while-revalidate=3600, proxy-revalidate", "Age: 100"],
            ["Cache-Control: s-maxage=60, stale-while-revalidate=3600", "Age: 100"],
            ["Cache-Control: no-cache, max-age=60, stale-while-revalidate=3600", "Age: 100"],
            ["Cache-Control: max-age=60, stale-while-revalidate=x", "Age: 100"],
            ["Cache-Control: max-age=60", "Age: 100"],
        ])
    func `without a grace one waits for the origin`(fields: [String]) throws {
        let pair = try DaemonAndOrigin(fields)
        pair.release.signal()
        _ = try pair.isStale()
        let reply = try pair.daemon.get(pair.origin.url(), "w=30")
        #expect(reply["Cache-Status"]?.contains("fwd-status=304") == true)
        #expect(pair.asked.count == 1)
    }

    @Test func `the operator may grant it where origins are silent`() throws {
        let pair = try DaemonAndOrigin(
            ["Cache-Control: max-age=60", "Age: 100"], flags: ["--cache-stale-while-revalidate", "1h"])
        pair.release.signal()
        _ = try pair.isStale()
        #expect(try pair.isStale())
        #expect(try pair.becomesFresh())
    }

    @Test func `a refresh that fails is not repeated for everyone, and takes nothing away`() throws {
        let pair = try DaemonAndOrigin(flags: ["--negative-server-error", "1h"]) { $0.answer("500 Oops") }
        pair.release.signal()
        for _ in 1...10 { _ = try pair.isStale() }
        #expect(pair.asked.wait())
        #expect(try Patience.until { try pair.daemon.metric("pictor_work_in_flight") == 0 })
        for _ in 1...10 { #expect(try pair.isStale()) }
        #expect(pair.asked.count == 1)
    }

    @Test func `a refresh may bring another picture`() throws {
        let pair = try DaemonAndOrigin { $0.picture(Pictures.gradient(60, 40, hue: 7)) }
        let first = try pair.daemon.get(pair.origin.url(), "w=30")
        pair.release.signal()
        #expect(try pair.isStale())
        #expect(try pair.becomesFresh())
        #expect(try pair.daemon.get(pair.origin.url(), "w=30").body != first.body)
    }

    //   /a     stale, its refresh is held at the origin …           … let go: fresh
    //   /b              stale, no berth: nobody asks                        stale, refreshed: fresh
    @Test func `only so many are refreshed at once`() throws {
        let pair = try DaemonAndOrigin(flags: ["--cache-maximum-refreshes", "1"])
        for target in ["/a", "/b"] { #expect(try !pair.isStale(target)) }
        #expect(try pair.isStale("/a"))
        #expect(pair.asked.wait())
        for _ in 1...5 { #expect(try pair.isStale("/b")) }
        #expect(pair.asked.count == 1)
        pair.release.signal()
        #expect(try pair.becomesFresh("/a"))
        #expect(try pair.becomesFresh("/b"))
        #expect(pair.asked.count == 2)
    }
}
