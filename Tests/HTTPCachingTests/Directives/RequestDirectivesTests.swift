// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("What a trusted request says about caching")
struct RequestDirectivesTests {
    @Test func `directives are read without regard to case, order, repetition and what is unknown`() {
        let directives = RequestDirectives(
            "No-Cache, only-if-cached ,x=\"a, no-store\",MAX-AGE=10, max-age=99,min-fresh=\"5\", max-stale")
        #expect(directives.noCache && directives.onlyIfCached)
        #expect(directives.maximumAge == 10)
        #expect(directives.minimumFreshness == 5)
        #expect(directives.maximumStaleness == .max)
        #expect(directives != RequestDirectives())
    }

    @Test(arguments: [
        "", "no-transform", "no-store", "no-cachex", "x=\"no-cache", "min-fresh=x", "max-stale=x",
    ])
    func `what asks for nothing is nothing`(text: String) {
        #expect(RequestDirectives(text) == RequestDirectives())
    }

    @Test func `an age that cannot be read asks for the most care`() {
        #expect(RequestDirectives("max-age=x").maximumAge == 0)
        #expect(RequestDirectives("max-age").maximumAge == 0)
        #expect(RequestDirectives("max-age=99999999999").maximumAge == .max)
    }

    @Test(arguments: [
        "=", "=\"", "=\"5", "=@", "= 5", " =5", " 5", "=5 6", "=5=6", "=-5", "=5.0", "=\"\"", "@",
    ])
    func `a number that cannot be read allows nothing that is stale`(argument: String) {
        let directives = RequestDirectives("max-stale\(argument)")
        #expect(directives.maximumStaleness == nil)
        #expect(RequestDirectives("min-fresh\(argument)").minimumFreshness == nil)
        #expect(RequestDirectives("max-age\(argument)").maximumAge == 0)
        // A directive after it is still read, unless an open quote swallows it.
        let isOpen = argument.filter { $0 == "\"" }.count == 1
        #expect(RequestDirectives("max-stale\(argument), no-cache").noCache == !isOpen)
    }

    @Test func `white space around a directive is none of it`() {
        let directives = RequestDirectives("\tmax-stale , min-fresh=5 ,max-age=\"7\"\t")
        #expect(directives.maximumStaleness == .max)
        #expect(directives.minimumFreshness == 5)
        #expect(directives.maximumAge == 7)
    }

    /// A sample is 30 s old on arrival, and has a lifetime of 100 s.
    @Test(
        arguments: [
            ("", 0, .usual), ("no-cache", 0, .validate), ("max-age=30", 0, .usual),
            ("max-age=29", 0, .validate),
            ("max-age=30", 1, .validate), ("min-fresh=70", 0, .usual), ("min-fresh=71", 0, .validate),
            ("max-stale=10", 0, .usual), ("max-stale=10", 80, .serve), ("max-stale=10", 81, .usual),
            ("max-stale", 9999, .serve), ("no-cache, max-stale", 80, .validate),
            ("max-age=0, max-stale", 80, .validate),
        ] as [(String, Int64, RequestDirectives.Verdict)])
    func `what is held is judged by its age and what is left of it`(
        text: String, after: Int64, verdict: RequestDirectives.Verdict
    ) {
        let judged = RequestDirectives(text).judge(.sample(age: 30), at: now.adding(seconds: after))
        #expect(judged == verdict)
    }

    @Test(arguments: [Freshness.Flags.mustRevalidate, .alwaysValidate])
    func `no request gets stale what must not be stale`(flag: Freshness.Flags) {
        let freshness = Freshness.sample(flags: flag)
        #expect(RequestDirectives("max-stale").judge(freshness, at: now.adding(seconds: 200)) == .usual)
    }
}

struct ExpiredFreshnessTests {
    @Test(arguments: [0, 40, 99, 100, 5000] as [Int64])
    func `what is made to expire is stale at once, and stays as stale as it was`(after: Int64) {
        let moment = now.adding(seconds: after)
        let original = Freshness.sample(age: 10, lifetime: 100, client: 60, whileRevalidate: 30)
        let expired = original.expired(at: moment)
        #expect(expired.secondsLeft(at: moment) == min(original.secondsLeft(at: moment), 0))
        #expect(expired.clientLifetime <= expired.lifetime)
        guard case .stale(_, let mayServe, _) = expired.state(at: moment) else {
            Issue.record("fresh")
            return
        }
        #expect(mayServe == (original.secondsLeft(at: moment) > -30))
    }

    @Test(arguments: ["", "max-stale", "max-stale=60"])
    func `what is to be confirmed first is served stale to nobody`(text: String) {
        let moment = now.adding(seconds: 50)
        let original = Freshness.sample(age: 10, lifetime: 100, whileRevalidate: 30)
        let unconfirmed = original.unconfirmed(at: moment)
        #expect(RequestDirectives(text).judge(unconfirmed, at: moment) == .usual)
        #expect(
            unconfirmed.state(at: moment)
                == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: false))
    }

    @Test func `no clock that is set back makes it fresh again`() {
        let moment = now.adding(seconds: 50)
        for original in [
            Freshness.sample(age: 10, lifetime: 100), .sample(age: 10, lifetime: 100, client: 60),
        ] {
            for expired in [original.expired(at: moment), original.unconfirmed(at: moment)] {
                for back in [1, 30, 49, 50, 59, 60, 61, 100_000] as [Int64] {
                    let earlier = moment.adding(seconds: -back)
                    guard case .stale = expired.state(at: earlier) else {
                        Issue.record("fresh \(back) s earlier")
                        continue
                    }
                    #expect(expired.secondsLeft(at: earlier) <= 0)
                    #expect(RequestDirectives("min-fresh=1").judge(expired, at: earlier) == .validate)
                }
            }
        }
    }
}
