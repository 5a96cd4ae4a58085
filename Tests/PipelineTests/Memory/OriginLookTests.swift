// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import SourceURLs
import Testing

@Suite("Each origin has its own odds of looks into the shared store")
struct OriginLookTests {
    /// Odds in a class, because the macros of expectations cannot change a value.
    private final class Looks {
        private var value = OriginLooks()
        var count: Int { value.count }

        /// How many of `count` looks are made, if each look finds something or not.
        func made(_ count: Int, at host: String, finding: Bool) -> Int {
            (0..<count).count { _ in
                let origin = Looks.origin(host)
                let isDue = value.isDue(origin)
                if isDue { value.learn(hasFound: finding, of: origin) }
                return isDue
            }
        }

        func learn(_ fetches: [Int64], at host: String) -> Int64? {
            for fetch in fetches { value.learn(fetch: fetch, from: Looks.origin(host)) }
            return value.fetch(from: Looks.origin(host))
        }

        func giveUp(after microseconds: Int64, at host: String) -> Int64? {
            value.learn(givenUpAfter: microseconds, from: Looks.origin(host))
            return value.fetch(from: Looks.origin(host))
        }

        private static func origin(_ host: String) -> SourceOrigin {
            SourceOrigin(scheme: .https, host: host, port: 443)
        }
    }

    @Test func `one whose looks find something costs the others none`() {
        let looks = Looks()
        let patience = LookOdds.patience
        #expect(looks.made(2 * patience, at: "plain.test", finding: false) < 2 * patience)
        // At most ten looks are in vain, because the origin is new after one in vain.
        let found = looks.made(10 * LookOdds.interval, at: "tokens.test", finding: true)
        #expect(found > 8 * LookOdds.interval)
        #expect(looks.made(1_600, at: "plain.test", finding: false) == 100)
        #expect(looks.made(100, at: "tokens.test", finding: true) == 100)
    }

    @Test func `an origin without any luck costs the others none`() {
        let looks = Looks()
        #expect(looks.made(100, at: "tokens.test", finding: true) == 100)
        _ = looks.made(1_000, at: "plain.test", finding: false)
        #expect(looks.made(100, at: "tokens.test", finding: true) == 100)
    }

    @Test func `where new origins have nothing to find, the next one is hardly looked for`() {
        let looks = Looks()
        for number in 0..<LookOdds.patience {
            #expect(looks.made(1, at: "\(number).test", finding: false) == 1)
        }
        let made = (0..<160).reduce(0) { $0 + looks.made(16, at: "new-\($1).test", finding: false) }
        #expect(made == 160)
    }

    @Test func `so many origins are remembered`() {
        let looks = Looks()
        for number in 0..<3 * OriginLooks.capacity {
            _ = looks.learn([1_000], at: "\(number).test")
            #expect(looks.learn([], at: "\(number).test") == 1_000)
        }
        #expect(looks.count <= OriginLooks.capacity)
        #expect(looks.learn([], at: "0.test") == nil)
    }

    @Test func `the time of fetches follows them`() {
        let looks = Looks()
        #expect(looks.learn([], at: "a.test") == nil)
        let quick = looks.learn(.init(repeating: 20_000, count: 50), at: "a.test") ?? 0
        let slow = looks.learn(.init(repeating: 400_000, count: 50), at: "a.test") ?? 0
        #expect(quick == 20_000 && slow > 390_000, "\(quick), \(slow)")
    }

    @Test func `a fetch that was given up took that long at the least, until one is answered`() {
        let looks = Looks()
        #expect(looks.giveUp(after: 5_000, at: "a.test") == 5_000)
        #expect(looks.learn([20_000], at: "a.test") == 20_000)
        #expect(looks.giveUp(after: 5_000, at: "a.test") == 20_000)
        #expect(looks.giveUp(after: 400_000, at: "a.test") == 400_000)
        #expect(looks.giveUp(after: 300_000, at: "a.test") == 400_000)
        #expect(looks.learn([20_000], at: "a.test") == 20_000)
    }
}
