// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
@testable import Pipeline
import RandomInputs
import Testing

/// The circuit breaker of one origin, event by event. Times are seconds here.
struct OriginHealthTests {
    private struct BreakerUnderTest {
        var health: OriginHealth
        var policy = HealthPolicy()
        var now: Int64 = 0
        var chance = 0.0
        var lastNumber: UInt64 = 0
        /// True if the requests would get nothing without the origin.
        var isWanted = false

        /// - Parameter share: the failures that count for one client; nil for all, as in a client's own breaker.
        init(failures: Int = 3, share: Int? = nil) {
            policy.failures = failures
            health = OriginHealth(share: share ?? failures)
        }

        mutating func wait(_ seconds: Double) { now += Int64(seconds * 1_000_000) }

        /// The entry is `.refused` if the origin rests.
        mutating func enter() -> (number: UInt64, entry: OriginHealth.Entry) {
            lastNumber += 1
            return (lastNumber, health.enter(lastNumber, now: now, isWanted: isWanted, policy))
        }

        @discardableResult
        mutating func hear(
            _ signal: HealthSignal, from number: UInt64? = nil, client: ClientKey? = nil
        ) -> OriginHealth.Change? {
            health.hear(
                OriginHealth.News(
                    signal: signal, client: client, number: number ?? lastNumber, latest: lastNumber,
                    now: now,
                    chance: chance), policy)
        }

        /// Enters a request, and reports its result at once.
        @discardableResult
        mutating func ask(_ signal: HealthSignal, client: ClientKey? = nil) -> OriginHealth.Entry {
            let (number, entry) = enter()
            if case .refused = entry { return entry }
            hear(signal, from: number, client: client)
            return entry
        }

        func outlook() -> OriginHealth.Outlook { health.outlook(now: now, isWanted: isWanted) }

        /// The rest under way in seconds, which is the fixed half because `chance` is 0.
        var rest: Double? {
            if case .resting(_, let until) = health.state { Double(until - now) / 1_000_000 } else { nil }
        }
    }

    @Test func `it rests after so many failures in a row, and not before`() {
        var breaker = BreakerUnderTest()
        for _ in 1...2 { #expect(breaker.ask(.down) == .asks) }
        #expect(breaker.outlook() == .well)
        #expect(breaker.hear(.down) == .rests(for: 500_000))
        #expect(breaker.ask(.well) == .refused(OriginRest(seconds: 1)))
    }

    @Test func `a success in between begins a new row, and leaves nothing behind`() {
        var breaker = BreakerUnderTest()
        for _ in 1...10 {
            breaker.ask(.down)
            breaker.ask(.failed(url: 1))
            breaker.ask(.well)
            #expect(breaker.health.isWell)
        }
        #expect(breaker.ask(.down) == .asks)
    }

    @Test func `one URL that always fails counts once`() {
        var breaker = BreakerUnderTest()
        for _ in 1...50 { #expect(breaker.ask(.failed(url: 1)) == .asks) }
        breaker.ask(.failed(url: 2))
        #expect(breaker.outlook() == .well)
        #expect(breaker.hear(.failed(url: 3)) == .rests(for: 500_000))
    }

    @Test func `failures far apart are not of one sickness`() {
        var breaker = BreakerUnderTest()
        for _ in 1...50 {
            #expect(breaker.ask(.down) == .asks)
            breaker.wait(61)
        }
    }

    @Test func `after the rest exactly one asks, and its success lets all in`() {
        var breaker = BreakerUnderTest(failures: 1)
        breaker.ask(.down)
        breaker.wait(0.5)
        let probe = breaker.enter()
        #expect(probe.entry == .probes)
        for _ in 1...5 { #expect(breaker.ask(.well) == .refused(OriginRest(seconds: 1))) }
        breaker.wait(1000)
        #expect(breaker.ask(.well) == .refused(OriginRest(seconds: 1)))
        #expect(breaker.hear(.well, from: probe.number) == .recovered)
        #expect(breaker.health.isWell)
        #expect(breaker.ask(.well) == .asks)
    }

    @Test func `each probe that fails doubles the rest, up to the longest`() {
        var breaker = BreakerUnderTest(failures: 1)
        breaker.ask(.down)
        var rests: [Double] = []
        for _ in 1...8 {
            rests.append(breaker.rest ?? -1)
            breaker.wait(breaker.rest ?? 0)
            #expect(breaker.ask(.down) == .probes)
        }
        #expect(rests == [0.5, 1, 2, 4, 8, 15, 15, 15])
        breaker.wait(15)
        breaker.ask(.well)
        breaker.ask(.down)
        #expect(breaker.rest == 0.5)
    }

    @Test func `half of each rest is drawn`() {
        for (chance, rest) in [(0, 0.5), (0.5, 0.75), (0.98, 0.99)] {
            var breaker = BreakerUnderTest(failures: 1)
            breaker.chance = chance
            breaker.ask(.down)
            #expect(breaker.rest == rest)
        }
    }

    @Test(arguments: [HealthSignal.none])
    func `a probe that came to nothing leaves its place to the next`(signal: HealthSignal) {
        var breaker = BreakerUnderTest(failures: 1)
        breaker.ask(.down)
        breaker.wait(0.5)
        for _ in 1...3 {
            #expect(breaker.ask(signal) == .probes)
            #expect(breaker.outlook() == .probeDue)
        }
        #expect(breaker.ask(.down) == .probes)
        #expect(breaker.rest == 1)
    }

    @Test func `what others bring back while one probes is no news`() {
        var breaker = BreakerUnderTest(failures: 2)
        let early = (1...4).map { _ in breaker.enter().number }
        breaker.hear(.down, from: early[0])
        breaker.hear(.down, from: early[1])
        // A success of a request that set out before says nothing about the present.
        #expect(breaker.hear(.well, from: early[2]) == nil)
        #expect(breaker.rest == 0.5)
        breaker.wait(0.5)
        let probe = breaker.enter()
        #expect(probe.entry == .probes)
        #expect(breaker.hear(.down, from: early[3]) == nil)
        #expect(breaker.health.state == .probing(probe.number, wanted: breaker.now + 1_000_000))
        #expect(breaker.hear(.well, from: probe.number) == .recovered)
    }

    private static func client(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    @Test func `of one client's URLs a share counts, and different clients add up`() {
        // The share for ten failures and three clients.
        var breaker = BreakerUnderTest(failures: 10, share: 4)
        for url in 1...500 { #expect(breaker.ask(.failed(url: url), client: Self.client(1)) == .asks) }
        #expect(breaker.health.failures == 4)
        for url in 501...900 { #expect(breaker.ask(.failed(url: url), client: Self.client(2)) == .asks) }
        #expect(breaker.health.failures == 8)
        // A URL that has failed for another client counts once.
        #expect(breaker.ask(.failed(url: 1), client: Self.client(3)) == .asks)
        #expect(breaker.ask(.failed(url: 901), client: nil) == .asks)
        #expect(breaker.outlook() == .well)
        #expect(breaker.hear(.failed(url: 902), client: nil) == .rests(for: 500_000))
    }

    @Test func `that it cannot be connected to counts whoever asks`() {
        var breaker = BreakerUnderTest(failures: 10, share: 4)
        for _ in 1...9 { #expect(breaker.ask(.down, client: Self.client(1)) == .asks) }
        #expect(breaker.hear(.down, client: Self.client(1)) == .rests(for: 500_000))
    }

    @Test(arguments: [(10, 3, 4), (3, 3, 1), (1, 3, 1), (4, 1, 4), (10, 2, 5), (0, 3, 0)])
    func `the share lets no fewer clients than that do it alone`(failures: Int, clients: Int, share: Int) {
        var policy = HealthPolicy()
        (policy.failures, policy.clients) = (failures, clients)
        #expect(policy.shareOfClient == share)
    }

    //   seconds   0      0.5        …                    1.5
    //   rest      30 s   wanted: probes, and hangs       the next wanted one probes
    @Test func `who would get nothing probes once in each first rest, while others wait for the long one`() {
        var breaker = BreakerUnderTest(failures: 1)
        breaker.ask(.down)
        for _ in 1...6 {
            breaker.wait(breaker.rest ?? 0)
            breaker.ask(.down)
        }
        #expect(breaker.rest == 15)
        breaker.isWanted = true
        #expect(breaker.ask(.down) == .refused(OriginRest(seconds: 1)))
        breaker.wait(1)
        let (first, entry) = breaker.enter()
        #expect(entry == .probes)
        breaker.wait(0.9)
        #expect(breaker.enter().entry == .refused(OriginRest(seconds: 1)))
        breaker.wait(0.1)
        let (second, next) = breaker.enter()
        #expect(next == .probes)
        // A hanging probe's failure is ignored, but its success still counts.
        #expect(breaker.hear(.down, from: first) == nil)
        #expect(breaker.health.state == .probing(second, wanted: breaker.now + 1_000_000))
        #expect(breaker.hear(.well, from: first) == .recovered)
        #expect(breaker.health.isWell)
    }

    @Test func `with no number of failures it never rests`() {
        var breaker = BreakerUnderTest(failures: 0)
        for url in 1...1000 {
            #expect(breaker.ask(.down) == .asks)
            #expect(breaker.ask(.failed(url: url)) == .asks)
        }
    }

    /// Many clients come and go at random. Whatever their order, all requests are sent while the origin does not rest, none during a
    /// rest, and one after it. Once the origin is well again and clients come, the breaker closes in the end.
    @Test(arguments: (1...20).map { _ in UInt64.random(in: 0 ... .max) })
    func `in whatever order they come and go, one probes at a time and the place is never lost`(seed: UInt64)
    {
        var random = SeededRandom(seed: seed)
        var breaker = BreakerUnderTest(failures: Int.random(in: 1...5, using: &random), share: 2)
        var inside: [UInt64: OriginHealth.Entry] = [:]
        let signals: [HealthSignal] = [
            .well, .down, .failed(url: 1), .failed(url: 2), .failed(url: 3), .none,
        ]
        for _ in 0..<3000 {
            breaker.now += Int64.random(in: 0...800_000, using: &random)
            breaker.chance = Double.random(in: 0..<1, using: &random)
            breaker.isWanted = Bool.random(using: &random)
            let before = breaker.outlook()
            if Bool.random(using: &random) {
                let (number, entry) = breaker.enter()
                switch (before, entry) {
                case (.well, .asks): inside[number] = entry
                case (.probeDue, .probes):
                    inside[number] = entry
                case (.resting(let rest), .refused(let told)): #expect(rest == told && rest.seconds >= 1)
                default: Issue.record("\(before) let \(entry) in, seed \(seed)")
                }
            } else if let number = inside.keys.sorted().randomElement(using: &random) {
                let isProbe = inside.removeValue(forKey: number) == .probes
                let change = breaker.hear(
                    signals.randomElement(using: &random) ?? .none, from: number,
                    client: Self.client(UInt32.random(in: 1...3, using: &random)))
                if isProbe, case .probing(number, _) = breaker.health.state {
                    Issue.record("a probe that has ended keeps its place, seed \(seed)")
                }
                if case .recovered = change { #expect(isProbe, "seed \(seed)") }
            }
            if case .probing(let number, _) = breaker.health.state {
                #expect(inside[number] == .probes, "seed \(seed)")
            }
            if let rest = breaker.rest { #expect(rest <= 30, "seed \(seed)") }
        }
        for number in inside.keys.sorted() { breaker.hear(.none, from: number) }
        breaker.wait(30)
        breaker.ask(.well)
        #expect(breaker.health.isWell, "seed \(seed)")
    }
}
