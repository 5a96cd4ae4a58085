// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import Testing

@Suite("Lookups are counted for as long as they may hold descriptors") struct LookupsTests {
    private var lookups = Lookups()

    private mutating func begin(_ host: String, limit: Int, at now: Ticks = 0) -> Bool {
        lookups.begin(Lookups.Owner(host: host), at: now, limit: limit)
    }

    @Test mutating func `as many begin as there may be, and one that has ended makes room`() {
        let first = (1...3).map { _ in lookups.begin(.settings, at: 0, limit: 2) }
        #expect(first == [true, true, false])
        lookups.end(.settings, found: true)
        let next = (1...2).map { _ in lookups.begin(.settings, at: 0, limit: 2) }
        #expect(next == [true, false] && lookups.count == 2)
    }

    @Test mutating func `one that was left alone counts until it is over`() {
        _ = lookups.begin(.settings, at: 0, limit: 1)
        lookups.leaveAlone(.settings, at: 7, longest: 30)
        let begun = [7, 36, 37].map { lookups.begin(.settings, at: $0, limit: 1) }
        #expect(begun == [false, false, true] && lookups.count == 1)
    }

    @Test mutating func `those that end sooner make room sooner`() {
        for longest: Ticks in [60, 20] {
            _ = lookups.begin(.settings, at: 0, limit: 2)
            lookups.leaveAlone(.settings, at: 0, longest: longest)
        }
        let begun = [19, 20, 20].map { lookups.begin(.settings, at: $0, limit: 2) }
        #expect(begun == [false, true, false])
    }

    @Test mutating func `names of one site have a quarter, and leave the others to other sites`() {
        let dead = (0..<32).map { begin("x\($0).dead.test", limit: 32) }
        #expect(dead.count { $0 } == 8)
        let other = begin("other.test", limit: 32)
        #expect(other)
        let another = begin("another.test", limit: 32)
        #expect(another)
    }

    @Test mutating func `names that never had an address leave a quarter to those that had one`() {
        let good = Lookups.Owner(host: "www.good.test")
        let first = lookups.begin(good, at: 0, limit: 32)
        #expect(first)
        lookups.end(good, found: true)
        let dead = (0..<64).map { begin("x.dead\($0).test", limit: 32) }
        #expect(dead.count { $0 } == 24)
        let new = begin("new.good.test", limit: 32)
        #expect(!new)
        // A name without an address does not take lookups away from other names of its site.
        lookups.end(Lookups.Owner(host: "x.dead0.test"), found: false)
        let unfound = begin("none.good.test", limit: 32)
        #expect(unfound)
        lookups.end(Lookups.Owner(host: "none.good.test"), found: false)
        let next = begin("x.dead0.test", limit: 32)
        #expect(next)
        let again = (0..<32).map { _ in begin("www.good.test", limit: 32) }
        #expect(again.count { $0 } == 8)
        let store = lookups.begin(.settings, at: 0, limit: 32)
        #expect(!store)
    }

    @Test mutating func `names of one site that had an address have half`() {
        for number in 0..<300 {
            let began = begin("x\(number).site.test", limit: 8)
            #expect(began)
            lookups.end(Lookups.Owner(host: "x\(number).site.test"), found: true)
        }
        let known = (0..<8).map { _ in begin("x299.site.test", limit: 8) }
        #expect(known.count { $0 } == 4)
    }

    @Test func `how long one may take is known, and bounded`() {
        var longest = LongestLookup()
        let ticks = longest.ticks(at: 0)
        #expect(ticks >= 1_000_000 && ticks <= LongestLookup.ceiling)
        #expect(longest.ticks(at: 1) == ticks)
    }
}
