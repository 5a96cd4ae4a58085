// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@Suite("While its origin fails, a stale picture is better than none", .endToEnd)
struct StaleIfErrorTests {
    private static let picture = Pictures.gradient(60, 40)
    private static let grace = "Cache-Control: max-age=60, stale-if-error=3600"

    /// Every target has a picture that is stale on arrival, once; from then on its origin fails.
    private struct DaemonAndOrigin {
        let origin: ScriptedOrigin
        let daemon: DaemonUnderTest

        init(
            _ fields: [String] = [grace, "Age: 100"], flags: [String] = [],
            failing fail: @escaping @Sendable (Peer) -> Void
        ) throws {
            let served = Mutex<Set<String>>([])
            origin = ScriptedOrigin { peer in
                let isNew = served.withLock { $0.insert(peer.target).inserted }
                isNew ? peer.answer(fields: fields, body: picture) : fail(peer)
            }
            daemon = try DaemonUnderTest(flags)
        }

        func ask(_ target: String = "/picture") throws -> Connection.Reply {
            try daemon.get(origin.url(target), "w=30")
        }

        func again(_ target: String = "/picture") throws -> Connection.Reply {
            #expect(try ask(target).status == 200)
            return try ask(target)
        }
    }

    private static let longMemory = ["--negative-server-error", "1h", "--negative-client-error", "1h"]

    @Test func `an origin that cannot answer is covered for, and not asked by everyone`() throws {
        let pair = try DaemonAndOrigin(flags: Self.longMemory) { peer in
            peer.target == "/reset" ? peer.reset() : peer.answer("\(peer.target.dropFirst()) Failure")
        }
        // The reset comes first, to a connection's first picture: one that came later over it is forgotten when the
        // connection breaks within moments, since nobody can tell any more whose answer it was.
        let failures = ["/reset", "/500", "/502", "/503", "/504", "/599", "/408", "/429"]
        for target in failures {
            #expect(try pair.ask(target).status == 200)
            for _ in 1...5 {
                let reply = try pair.ask(target)
                #expect(reply.status == 200)
                #expect(reply["Cache-Status"]?.hasSuffix("detail=stale") == true, "\(target)")
            }
        }
        // Whoever has something to serve believes the first failure. (libcurl tries once more where a kept connection
        // turns out to be dead.)
        let heads = pair.origin.heads.filter { !$0.hasPrefix("GET /reset ") }
        #expect(heads.count == 2 * (failures.count - 1))
        #expect(try pair.daemon.metric("pictor_renders_total") == 1)
    }

    @Test(arguments: [(grace, 200), ("Cache-Control: max-age=60, must-revalidate", 504)])
    func `so is one that is too slow, unless that is forbidden`(cacheControl: String, status: Int) throws {
        let served = Latch()
        let origin = ScriptedOrigin { peer in
            served.signal()
            if served.count > 1 { return peer.waitForHangup() }
            peer.answer(fields: [cacheControl, "Age: 100"], body: Self.picture)
        }
        // The picture comes to a daemon that has the time for it.
        let patient = try DaemonUnderTest()
        #expect(try patient.get(origin.url(), "w=30").status == 200)
        #expect(patient.stop() == 0)
        let hasty = try DaemonUnderTest(["--origin-first-byte-timeout", "100ms"], cache: patient.cache)
        #expect(try hasty.get(origin.url(), "w=30").status == status)
        // The daemon may have given it up before the origin has read it.
        #expect(served.wait(for: 2) && served.count == 2)
    }

    @Test func `one that is silent is not waited for, though nothing of it has failed yet`() throws {
        let silent = Latch()
        let origin = ScriptedOrigin { peer in
            silent.signal()
            if silent.count > 1 { return peer.waitForHangup() }
            peer.answer(fields: [Self.grace, "Age: 100"], body: Self.picture)
        }
        let daemon = try DaemonUnderTest(["--cache-stale-wait", "100ms", "--origin-first-byte-timeout", "1h"])
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        for _ in 1...3 {
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(reply.status == 200)
            #expect(reply["Cache-Status"]?.hasSuffix("detail=stale") == true)
        }
        #expect(silent.wait(for: 2) && silent.count == 2)
        #expect(try daemon.metric("pictor_work_in_flight", "kind=\"original\"") == 1)
    }

    @Test func `an error that may or may not be kept takes the place of no picture`() throws {
        let fields = ["Cache-Control: max-age=60", "Cache-Control: no-store", "Retry-After: 60"]
        let pair = try DaemonAndOrigin { peer in
            peer.answer("503 Busy", fields: [fields[Int(peer.target.dropFirst()) ?? 0]])
        }
        for number in fields.indices {
            for _ in 1...4 { #expect(try pair.ask("/\(number)").status == 200) }
        }
    }

    @Test(
        arguments: [
            // Beyond the window; forbidden.
            [grace, "Age: 3660"],
            ["Cache-Control: max-age=60, stale-if-error=3600, must-revalidate", "Age: 100"],
            ["Cache-Control: max-age=60, stale-if-error=3600, proxy-revalidate", "Age: 100"],
            ["Cache-Control: s-maxage=60, stale-if-error=3600", "Age: 100"],
            ["Cache-Control: no-cache, stale-if-error=3600"],
            ["Cache-Control: max-age=60, stale-if-error=0", "Age: 100"],
        ])
    func `what must not be served stale is not`(fields: [String]) throws {
        let pair = try DaemonAndOrigin(fields) { $0.target == "/reset" ? $0.reset() : $0.answer("503 Busy") }
        #expect(try pair.again("/busy").status == 503)
        #expect(try pair.again("/reset").status == 502)
    }

    @Test func `where the origin is silent the operator decides`() throws {
        let fields = ["Cache-Control: max-age=60", "Age: 100"]
        #expect(try DaemonAndOrigin(fields) { $0.answer("503 Busy") }.again().status == 200)
        let strict = try DaemonAndOrigin(fields, flags: ["--cache-stale-if-error", "0s"]) {
            $0.answer("503 Busy")
        }
        #expect(try strict.again().status == 503)
    }

    @Test func `an origin that says no is not covered for`() throws {
        let pair = try DaemonAndOrigin { $0.answer("\($0.target.dropFirst()) No") }
        for target in ["/404", "/410", "/403"] {
            #expect(try pair.again(target).status >= 400)
            #expect(try pair.ask(target).status >= 400)
        }
    }

    @Test func `an origin that has recovered is heard`() throws {
        let failed = Latch()
        let pair = try DaemonAndOrigin { peer in
            failed.signal()
            failed.count == 1
                ? peer.answer("503 Busy", fields: ["Cache-Control: no-store"]) : peer.picture(Self.picture)
        }
        #expect(try pair.again()["Cache-Status"]?.hasSuffix("detail=stale") == true)
        #expect(try pair.ask()["Cache-Status"]?.hasSuffix("detail=revalidated") == true)
        #expect(try pair.ask()["Cache-Status"]?.hasSuffix("detail=memoryHit") == true)
    }
}
