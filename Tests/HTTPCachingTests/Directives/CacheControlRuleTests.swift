// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("An operator's Cache-Control stands in place of what an origin says, or of what it leaves out")
struct CacheControlRuleTests {
    private func decision(
        _ rule: CacheControlRule?, _ lines: [String], redirects: [RedirectHop] = []
    ) -> StorageDecision {
        CachePolicy.plain.assess(
            status: 200, fields: fields(lines), rule: rule, by: Transit(at: now, redirects: redirects))
    }

    private func freshness(_ rule: CacheControlRule?, _ lines: [String]) throws -> Freshness {
        guard case .store(let freshness) = decision(rule, lines) else { throw CachePolicy.NotStored() }
        return freshness
    }

    private static let hour = CacheControlRule("max-age=3600")
    private static let silentHour = CacheControlRule("max-age=3600", isDefault: true)

    @Test(arguments: [
        [], ["Cache-Control: no-store"], ["Cache-Control: private, no-cache"], ["Pragma: no-cache"],
        ["Expires: 0"],
        ["Cache-Control: max-age=5, must-revalidate"], ["CDN-Cache-Control: no-store"],
        ["Cache-Control: no-store", "CDN-Cache-Control: max-age=9"], ["Last-Modified: \(date(-1000))"],
    ])
    func `it counts whatever the origin says, for the cache as for clients`(lines: [String]) throws {
        let freshness = try freshness(Self.hour, lines)
        #expect(freshness.state(at: now) == .fresh(secondsLeft: 3600))
        #expect(freshness.clientLifetime == 3600 && freshness.flags == [])
    }

    @Test func `its lifetime counts from the arrival, and the age with it`() throws {
        let lines = ["Cache-Control: max-age=5", "Age: 9000", "Date: \(date(-9000))"]
        let freshness = try freshness(Self.hour, lines)
        #expect(freshness.age(at: now) == 0)
        #expect(freshness.state(at: now) == .fresh(secondsLeft: 3600))
    }

    @Test func `all of its directives mean what they mean from an origin`() throws {
        let rule = try #require(
            CacheControlRule("s-maxage=60, max-age=7,stale-while-revalidate=30, stale-if-error=90, immutable")
        )
        let freshness = try freshness(rule, ["Cache-Control: max-age=5"])
        #expect(freshness.lifetime == 60 && freshness.clientLifetime == 7)
        #expect(freshness.staleWhileRevalidate == 30 && freshness.staleIfError == 90)
        #expect(freshness.flags == [.mustRevalidate, .immutable])
        #expect(decision(CacheControlRule("no-store"), Self.year) == .doNotStore(.noStore))
        #expect(decision(CacheControlRule("private"), Self.year) == .doNotStore(.isPrivate))
    }

    private static let year = ["Cache-Control: max-age=31536000"]

    @Test(arguments: [
        ["Cache-Control: no-cache"], ["CDN-Cache-Control: max-age=9"], ["Expires: \(date(9))"],
        ["Pragma: no-cache"], ["Cache-Control: max-age=5", "Age: 3"],
    ])
    func `as a default it leaves alone whoever says something`(lines: [String]) {
        #expect(Self.silentHour != nil && decision(Self.silentHour, lines) == decision(nil, lines))
    }

    @Test func `as a default it counts for silent origins, before the heuristic`() throws {
        for lines in [[], ["Last-Modified: \(date(-10_000_000))"], ["ETag: \"1\"", "Age: 50"]] {
            let freshness = try freshness(Self.silentHour, lines)
            #expect(freshness.state(at: now) == .fresh(secondsLeft: 3600), "\(lines)")
            #expect(freshness.flags == [])
        }
    }

    @Test func `what varies by everything is still asked about`() throws {
        let freshness = try freshness(Self.hour, ["Vary: *"])
        #expect(freshness.flags == [.alwaysValidate, .varies])
    }

    @Test func `each redirect has the rule of its own origin`() throws {
        let hour = try #require(Self.hour)
        let silent = fields(["Cache-Control: no-store"])
        let ruled = RedirectHop(status: 302, fields: silent, rule: hour)
        guard case .store(let freshness) = decision(nil, Self.year, redirects: [ruled]) else {
            throw CachePolicy.NotStored()
        }
        #expect(freshness.lifetime == 3600)
        let own = RedirectHop(status: 302, fields: silent)
        #expect(decision(hour, Self.year, redirects: [own]) == .doNotStore(.noStore))
    }

    @Test func `a 304 is judged by the rule of then, and the origin's own words are kept`() throws {
        let stored = StoredFields(fields(["ETag: \"1\"", "Cache-Control: no-store"]))
        let reply = fields(["ETag: \"1\""])
        guard
            case .refreshed(let kept, let freshness) = CachePolicy.plain.refresh(
                stored, with: reply, rule: Self.hour, by: Transit(at: now))
        else { throw CachePolicy.NotStored() }
        #expect(freshness.lifetime == 3600 && kept[.cacheControl] == "no-store")
        let without = CachePolicy.plain.refresh(stored, with: reply, by: Transit(at: now))
        #expect(without == .forget(.noStore))
    }

    @Test(arguments: [
        "", " ", ",", "max-age", "max-age=", "max-age=1h", "max-age=-1", "max-age=\"60\"", "max-age=60,",
        "maxage=60", "max-age=60; public", "max-age=60, max-age=70", "max-age=60, Max-Age=60", "public=1",
        "no-cache=x", "no-transform", "max-age = 60", "max-age=60\r\nX: y",
    ])
    func `what this cache would not obey is no rule`(text: String) {
        #expect(CacheControlRule(text) == nil)
    }
}
