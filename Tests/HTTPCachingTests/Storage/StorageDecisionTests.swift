// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

struct StorageDecisionTests {
    @Test(arguments: [
        ("max-age=60", false), ("public, max-age=60", true), ("must-revalidate, max-age=60", true),
        ("s-maxage=60", true), ("proxy-revalidate, max-age=60", false), ("", false),
        ("no-cache, public", false),
    ])
    func `what Authorization opened is used again where the origin allows that (RFC 9111 §3.5)`(
        control: String, isAllowed: Bool
    ) throws {
        for (isAuthorized, hop) in [(true, "public"), (true, "max-age=5"), (false, "")] {
            let redirects =
                hop.isEmpty ? [] : [RedirectHop(status: 301, fields: fields(["Cache-Control: \(hop)"]))]
            let decision = CachePolicy.plain.assess(
                status: 200, fields: fields(["Cache-Control: \(control)"]),
                by: Transit(at: now, redirects: redirects, isAuthorized: isAuthorized))
            guard case .store(let freshness) = decision else {
                Issue.record("\(decision)")
                continue
            }
            let mustAsk = isAuthorized ? !isAllowed || hop != "public" : control.hasPrefix("no-cache")
            #expect(freshness.flags.contains(.alwaysValidate) == mustAsk, "\(control) \(hop)")
        }
        let stored = StoredFields(fields(["ETag: \"1\"", "Cache-Control: \(control)"]))
        let refreshed = CachePolicy.plain.refresh(
            stored, with: fields(["ETag: \"1\""]), by: Transit(at: now, isAuthorized: true))
        guard case .refreshed(_, let freshness) = refreshed else {
            Issue.record("\(refreshed)")
            return
        }
        #expect(freshness.flags.contains(.alwaysValidate) == !isAllowed)
    }

    /// The last second after the arrival at which the response is fresh; nil if it never is.
    private func lastFresh(_ lines: [String], _ policy: CachePolicy = .plain) throws -> Int? {
        let freshness = try policy.freshness(lines)
        guard case .fresh(let left) = freshness.state(at: now) else { return nil }
        #expect(freshness.isFresh(after: Int64(left) - 1))
        #expect(!freshness.isFresh(after: Int64(left)))
        return left
    }

    @Test(
        arguments: [
            // max-age, s-maxage, Expires, in RFC 9111 §4.2.1's order.
            (["Cache-Control: max-age=3600"], 3600), (["Cache-Control: max-age=0"], nil),
            (["Cache-Control: s-maxage=3600"], 3600),
            (["Cache-Control: max-age=1, s-maxage=3600"], 3600),
            (["Cache-Control: max-age=3600, s-maxage=1"], 1),
            (["Cache-Control: s-maxage=3600", "Cache-Control: max-age=1"], 3600),
            (["Cache-Control: max-age=3600, s-maxage=x"], nil),
            (["Expires: \(date(300))", "Date: \(date(0))"], 300), (["Expires: \(date(300))"], 300),
            (["Expires: \(date(0))"], nil),
            (["Expires: \(date(-1))"], nil), (["Expires: 0"], nil), (["Expires: -1"], nil),
            (["Expires: "], nil),
            (["Expires: \(date(300))", "Date: \(date(400))"], nil),
            (["Expires: \(date(300))", "Date: \(date(100))"], 200),
            // The origin's clock has not been set; the first `Expires` is not by that clock.
            (["Expires: \(date(300))", "Date: Thu, 01 Jan 1970 00:12:00 GMT"], 300),
            (["Expires: Thu, 01 Jan 1970 00:17:00 GMT", "Date: Thu, 01 Jan 1970 00:12:00 GMT"], 300),
            (["Expires: Thursday, 18-Aug-50 02:01:18 GMT"], 808_711_278),
            (["Expires: Thu Aug 18 02:01:18 2050"], 808_711_278),
            (["Expires: Sun, 21 Nov 2286 04:46:39 GMT"], 2_147_483_647),
            (["Expires: Thu, 18 Aug 2050 02:01:18 UTC"], nil),
            (["Expires: \(date(300))", "Expires: \(date(600))"], 300),
            (["Expires: 0", "Expires: \(date(600))"], nil),
            (["Cache-Control: max-age=3600", "Expires: \(date(-7200))"], 3600),
            (["Cache-Control: max-age=3600", "Expires: 0"], 3600),
            (["Cache-Control: max-age=0", "Expires: \(date(7200))"], nil),
            (["Cache-Control: public", "Expires: \(date(60))"], 60),
            (["Expires: \(date(-10))", "Cache-Control: max-age=0, s-maxage=3600"], 3600),
            (["Cache-Control: max-age=-3600"], nil),
            (["cache-control: MAX-AGE=60"], 60), (["Cache-Control: "], nil), ([], nil),
            // `Age` and `Date` make the response older.
            (["Cache-Control: max-age=3600", "Age: 7200"], nil),
            (["Cache-Control: max-age=3600", "Age: 3599"], 1),
            (["Cache-Control: max-age=3600", "Age: 3600"], nil),
            (["Cache-Control: max-age=3600", "Age: 0"], 3600),
            (["Cache-Control: max-age=3600", "Age: -7200"], 3600),
            (["Cache-Control: max-age=3600", "Age: 7200, 0"], nil),
            (["Cache-Control: max-age=3600", "Age: 0, 7200"], 3600),
            (["Cache-Control: max-age=3600", "Age: abc"], 3600),
            (["Cache-Control: max-age=3600", "Age: 7200.0"], 3600),
            (["Cache-Control: max-age=3600", "Age: 7200;foo=bar"], 3600),
            (["Cache-Control: max-age=3600", "Age: \"7200\""], 3600),
            (["Cache-Control: max-age=3600", "Age: abc, 7200"], 3600),
            (["Cache-Control: max-age=3600", "Age: 2147483647"], nil),
            (["Cache-Control: max-age=3600", "Age: 99999999999999999999"], nil),
            (["Cache-Control: max-age=99999999999", "Age: 99999999999"], nil),
            (["Cache-Control: max-age=10000", "Age: 3600", "Age: 3600"], 6400),
            (["Cache-Control: max-age=3600", "Age:"], 3600),
            (["Cache-Control: max-age=3600", "Age: 10 20"], 3600),
            (["Cache-Control: max-age=3600", "Date: \(date(-600))"], 3000),
            (["Cache-Control: max-age=3600", "Date: \(date(600))"], 3600),
            (["Cache-Control: max-age=3600", "Date: \(date(-600))", "Age: 900"], 2700),
            (["Cache-Control: max-age=3600", "Date: \(date(-600))", "Age: 300"], 3000),
            (["Cache-Control: max-age=3600", "Date: x"], 3600),
            (["Expires: \(date(10))", "Date: \(date(-10))", "Age: 25"], nil),
            (["Expires: \(date(20))", "Date: \(date(10))", "Age: 15"], nil),
            // RFC 9213: a valid targeted field replaces Cache-Control and Expires.
            (["CDN-Cache-Control: max-age=3600"], 3600),
            (["CDN-Cache-Control: max-age=3600", "Cache-Control: max-age=1"], 3600),
            (["CDN-Cache-Control: max-age=1", "Cache-Control: max-age=3600"], 1),
            (["CDN-Cache-Control: max-age=0"], nil),
            (["CDN-Cache-Control: max-age=3600", "Expires: \(date(-1))"], 3600),
            (["CDN-Cache-Control: max-age=3600", "Age: 7200"], nil),
            (["CDN-Cache-Control: foo", "Cache-Control: max-age=5", "Expires: \(date(9))"], nil),
            (["CDN-Cache-Control: ", "Cache-Control: max-age=5"], 5),
            (["CDN-Cache-Control: max-age=\"9\"", "Cache-Control: max-age=5"], 5),
            (["CDN-Cache-Control: &", "Cache-Control: max-age=5"], 5),
            (["CDN-Cache-Control: max-age=10", "CDN-Cache-Control: s-maxage=20"], 20),
            (["CDN-Cache-Control: max-age=60", "Cache-Control: no-store"], 60),
            (["CDN-Cache-Control: max-age=60", "Cache-Control: private"], 60),
            (["CDN-Cache-Control: max-age=60", "Pragma: no-cache"], 60),
            (["CDN-Cache-Control: no-cache", "Cache-Control: max-age=60"], nil),
            // no-cache, Vary: * and Pragma are never fresh.
            (["Cache-Control: max-age=60, no-cache"], nil),
            (["Cache-Control: no-cache", "Expires: \(date(60))"], nil),
            (["Cache-Control: max-age=60, no-cache=\"a\""], 60),
            (["Cache-Control: max-age=60", "Pragma: no-cache"], 60),
            (["Expires: \(date(60))", "Pragma: no-cache"], nil), (["Expires: \(date(60))", "Pragma: x"], 60),
            (["Expires: \(date(60))", "Pragma: x, No-Cache"], nil),
            (["Cache-Control: max-age=60", "Vary: *"], nil),
            (["Cache-Control: max-age=60", "Vary: , *"], nil),
            (["Cache-Control: max-age=60", "Vary: *, Foo"], nil),
            (["Cache-Control: max-age=60", "Vary: Foo", "Vary: *"], nil),
            (["Cache-Control: max-age=60", "Vary: Accept, Accept-Encoding"], 60),
            (["Cache-Control: max-age=60", "Vary: *foo"], 60),
            (["Cache-Control: max-age=60", "Vary: "], 60),
            // RFC 9111 §5.2.2.3.
            (["Cache-Control: no-store, must-understand, max-age=60"], 60),
            (["Cache-Control: max-age=60, must-understand"], 60),
        ] as [([String], Int?)])
    func `a response is fresh for as long as its fields say`(lines: [String], seconds: Int?) throws {
        var policy = CachePolicy.plain
        policy.maximumLifetime = .max
        #expect(try lastFresh(lines, policy) == seconds)
    }

    @Test(
        arguments: [
            (["Cache-Control: no-store"], .noStore), (["Cache-Control: max-age=60, NO-STORE"], .noStore),
            (["Cache-Control: max-age=60", "Cache-Control: no-store"], .noStore),
            (["Cache-Control: private, max-age=60"], .isPrivate),
            (["Cache-Control: public, private"], .isPrivate),
            (["Cache-Control: private", "Expires: \(date(60))"], .isPrivate),
            (["CDN-Cache-Control: no-store", "Cache-Control: max-age=60"], .noStore),
            (["CDN-Cache-Control: private", "Cache-Control: max-age=60"], .isPrivate),
            (["CDN-Cache-Control: max-age=\"10000\"", "Cache-Control: no-store"], .noStore),
            (["Cache-Control: no-store, must-understand=1"], .noStore),
            (["Cache-Control: private=\"a"], .isPrivate),
        ] as [([String], StorageDecision.Reason)])
    func `what must not be stored is not`(lines: [String], reason: StorageDecision.Reason) {
        #expect(CachePolicy.plain.assess(lines) == .doNotStore(reason))
    }

    @Test func `a 203 is an original too`() {
        let response = fields(["Cache-Control: max-age=60"])
        let decision = CachePolicy.plain.assess(
            status: 203, fields: response, by: Transit(at: now))
        #expect(decision == CachePolicy.plain.assess(["Cache-Control: max-age=60"]))
    }

    @Test(arguments: [201, 204, 206, 301, 304, 400, 404, 410, 500, 503])
    func `no other status is`(status: Int) {
        let decision = CachePolicy.plain.assess(
            status: status, fields: fields(["Cache-Control: max-age=60"]), by: Transit(at: now)
        )
        #expect(decision == .doNotStore(.status))
    }

    @Test func `the operator may overrule private and no-store`() throws {
        var policy = CachePolicy.plain
        policy.honoursPrivate = false
        #expect(try lastFresh(["Cache-Control: private, max-age=60"], policy) == 60)
        #expect(policy.assess(["Cache-Control: private, no-store"]) == .doNotStore(.noStore))
        policy.honoursNoStore = false
        #expect(try lastFresh(["Cache-Control: private, no-store, max-age=60"], policy) == 60)
    }

    @Test(
        arguments: [
            (["Last-Modified: \(date(-1000))"], 100),
            (["Last-Modified: \(date(-1000))", "Date: \(date(0))"], 100),
            (["Last-Modified: \(date(-1000))", "Date: \(date(-100))"], nil),
            (["Last-Modified: \(date(-86_400_000))"], 86_400),
            (["Last-Modified: \(date(-9))"], nil), (["Last-Modified: \(date(0))"], nil),
            (["Last-Modified: \(date(500))"], nil), (["Last-Modified: x"], nil),
            (["Last-Modified: \(date(-1000))", "Age: 40"], 60),
            (["Last-Modified: \(date(-1000))", "Cache-Control: public"], 100),
            // Any explicit field excludes a heuristic, even if it is unreadable.
            (["Last-Modified: \(date(-1000))", "Expires: 0"], nil),
            (["Last-Modified: \(date(-1000))", "Cache-Control: max-age=x"], nil),
            (["Last-Modified: \(date(-1000))", "Cache-Control: max-age=7"], 7),
            (["Last-Modified: \(date(-1000))", "Cache-Control: no-cache"], nil),
            (["Last-Modified: \(date(-1000))", "Pragma: no-cache"], nil),
        ] as [([String], Int?)])
    func `without anything explicit a tenth of the age of the picture is guessed`(
        lines: [String], seconds: Int?
    ) throws {
        #expect(try lastFresh(lines) == seconds)
    }

    @Test func `a guess is marked as one`() throws {
        #expect(try CachePolicy.plain.freshness(["Last-Modified: \(date(-1000))"]).flags == .heuristic)
        #expect(try CachePolicy.plain.freshness(["Cache-Control: max-age=5"]).flags == [])
        #expect(try CachePolicy.plain.freshness([]).flags == [])
    }

    @Test func `guessing is a setting`() throws {
        var policy = CachePolicy.plain
        policy.heuristicParts = 2_000
        #expect(try lastFresh(["Last-Modified: \(date(-1000))"], policy) == 200)
        policy.heuristicParts = 10
        #expect(try lastFresh(["Last-Modified: \(date(-100_000))"], policy) == 100)
        policy.heuristicParts = 2_000
        policy.maximumHeuristicLifetime = 50
        #expect(try lastFresh(["Last-Modified: \(date(-1000))"], policy) == 50)
        policy.heuristicParts = 0
        policy.defaultLifetime = 33
        #expect(try lastFresh(["Last-Modified: \(date(-1000))"], policy) == 33)
        #expect(try lastFresh([], policy) == 33)
        #expect(try lastFresh(["Expires: 0"], policy) == nil)
    }

    @Test func `of a picture that is no older than its answer nothing is guessed`() throws {
        var policy = CachePolicy.plain
        policy.defaultLifetime = 33
        for seconds in [0, 1, 1_000] as [Int64] {
            #expect(try lastFresh(["Last-Modified: \(date(seconds))"], policy) == 33)
            #expect(try policy.freshness(["Last-Modified: \(date(seconds))"]).flags == [])
        }
        #expect(try policy.freshness(["Last-Modified: \(date(-1))"]).flags == .heuristic)
    }

    @Test func `lifetimes stay within the bounds`() throws {
        var policy = CachePolicy.plain
        policy.minimumLifetime = 60
        policy.maximumLifetime = 600
        #expect(try lastFresh(["Cache-Control: max-age=5"], policy) == 60)
        #expect(try lastFresh(["Cache-Control: max-age=300"], policy) == 300)
        #expect(try lastFresh(["Cache-Control: max-age=9999"], policy) == 600)
        #expect(try lastFresh(["Cache-Control: max-age=5", "Age: 1000"], policy) == 60)
        #expect(try lastFresh(["Cache-Control: max-age=300", "Age: 280"], policy) == 60)
        #expect(try lastFresh([], policy) == 60)
        #expect(try lastFresh(["Cache-Control: no-cache"], policy) == nil)
        #expect(policy.assess(["Cache-Control: no-store"]) == .doNotStore(.noStore))
    }

    @Test func `a slow exchange counts as age`() throws {
        let policy = CachePolicy.plain
        func age(_ lines: [String], delay: Int64) -> Int32? {
            let decision = policy.assess(
                status: 200, fields: fields(lines),
                by: Transit(requestTime: now.adding(seconds: -delay), responseTime: now))
            if case .store(let freshness) = decision { return freshness.initialAge }
            return nil
        }
        #expect(age([], delay: 7) == 7)
        #expect(age(["Age: 10"], delay: 7) == 17)
        #expect(age(["Age: 10", "Date: \(date(-30))"], delay: 7) == 30)
        #expect(age(["Date: \(date(-3))"], delay: 7) == 7)
        #expect(age(["Age: 2147483647"], delay: 7) == .max)
        // The origin's clock has not been set.
        #expect(age(["Date: Thu, 01 Jan 1970 00:12:00 GMT"], delay: 7) == 7)
        #expect(age(["Date: Thu, 01 Jan 1970 00:12:00 GMT", "Age: 10"], delay: 7) == 17)
        #expect(age(["Date: Mon, 01 Jan 1990 00:00:00 GMT"], delay: 7) == 1_104_537_600)
        // The clock was set back between the request and the response.
        #expect(age(["Age: 10"], delay: -3600) == 10)
    }

    @Test(
        arguments: [
            ("max-age=1", 0, 0, []), ("max-age=1, stale-while-revalidate=30", 30, 0, []),
            ("max-age=1, stale-if-error=60", 0, 60, []),
            ("max-age=1, must-revalidate", 0, 0, .mustRevalidate),
            ("max-age=1, proxy-revalidate", 0, 0, .mustRevalidate),
            ("s-maxage=1", 0, 0, .mustRevalidate), ("max-age=1, no-cache", 0, 0, .alwaysValidate),
            ("max-age=1, immutable", 0, 0, .immutable), ("immutable", 0, 0, []),
            ("max-age=99999999999, immutable", 0, 0, []),
            ("max-age=1, stale-while-revalidate=99999999999", .max, 0, []),
            ("max-age=1, stale-while-revalidate=3, must-revalidate", 3, 0, .mustRevalidate),
        ] as [(String, Int32, Int32, Freshness.Flags)])
    func `what may be served stale is kept with it`(
        text: String, whileRevalidate: Int32, ifError: Int32, flags: Freshness.Flags
    ) throws {
        let freshness = try CachePolicy.plain.freshness(["Cache-Control: \(text)"])
        #expect(freshness.staleWhileRevalidate == whileRevalidate && freshness.staleIfError == ifError)
        #expect(freshness.flags == flags)
    }

    @Test func `defaults for serving stale apply only where the origin is silent`() throws {
        var policy = CachePolicy()
        policy.defaultStaleWhileRevalidate = 5
        policy.defaultStaleIfError = 6
        let silent = try policy.freshness(["Cache-Control: max-age=1"])
        #expect(silent.staleWhileRevalidate == 5 && silent.staleIfError == 6)
        let explicit = try policy.freshness([
            "Cache-Control: max-age=1, stale-while-revalidate=0, stale-if-error=x"
        ])
        #expect(explicit.staleWhileRevalidate == 0 && explicit.staleIfError == 0)
    }

    @Test(
        arguments: [
            (["Cache-Control: max-age=60"], 60, []), (["Cache-Control: s-maxage=600, max-age=60"], 60, []),
            (["Cache-Control: s-maxage=60, max-age=600"], 60, []),
            (["Cache-Control: s-maxage=600"], 600, []),
            (["Cache-Control: s-maxage=600", "Expires: \(date(30))"], 30, []),
            (["CDN-Cache-Control: max-age=600", "Cache-Control: max-age=60"], 60, []),
            (["CDN-Cache-Control: max-age=600"], 600, []),
            (["CDN-Cache-Control: max-age=600", "Cache-Control: no-cache"], 0, .clientsMustValidate),
            (["CDN-Cache-Control: max-age=600", "Cache-Control: no-store"], 600, .clientsMayNotStore),
            (["CDN-Cache-Control: max-age=600", "Cache-Control: private, max-age=5"], 5, .privateToClients),
        ] as [([String], Int32, Freshness.Flags)])
    func `browsers get no more than the origin grants them`(
        lines: [String], seconds: Int32, flags: Freshness.Flags
    ) throws {
        let freshness = try CachePolicy.plain.freshness(lines)
        #expect(freshness.clientLifetime == seconds)
        #expect(freshness.flags.subtracting(.mustRevalidate) == flags)
    }
}
