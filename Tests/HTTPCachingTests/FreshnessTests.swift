// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import RandomInputs
import Testing

struct FreshnessTests {
    @Test(
        arguments: [
            (0, 0), (999, 0), (1_000, 1), (1_999, 1), (60_000, 60), (-1, 0), (-86_400_000, 0),
        ] as [(Int64, Int)])
    func `age is the age on arrival and whole seconds since`(milliseconds: Int64, seconds: Int) {
        let later = Timestamp(milliseconds: now.milliseconds + milliseconds)
        #expect(Freshness.sample(age: 0).age(at: later) == seconds)
        #expect(Freshness.sample(age: 30).age(at: later) == 30 + seconds)
    }

    /// lifetime 100, stale-while-revalidate 10, stale-if-error 20.
    @Test(
        arguments: [
            (0, .fresh(secondsLeft: 100)), (99, .fresh(secondsLeft: 1)),
            (100, .stale(seconds: 0, mayServeWhileRevalidating: true, mayServeOnError: true)),
            (109, .stale(seconds: 9, mayServeWhileRevalidating: true, mayServeOnError: true)),
            (110, .stale(seconds: 10, mayServeWhileRevalidating: false, mayServeOnError: true)),
            (119, .stale(seconds: 19, mayServeWhileRevalidating: false, mayServeOnError: true)),
            (120, .stale(seconds: 20, mayServeWhileRevalidating: false, mayServeOnError: false)),
            (
                1_000_000_000,
                .stale(seconds: 999_999_900, mayServeWhileRevalidating: false, mayServeOnError: false)
            ),
            (-50, .fresh(secondsLeft: 100)),
        ] as [(Int64, Freshness.State)])
    func `a response goes from fresh to stale to useless`(after: Int64, state: Freshness.State) {
        let freshness = Freshness.sample(whileRevalidate: 10, ifError: 20)
        #expect(freshness.state(at: now.adding(seconds: after)) == state)
    }

    @Test func `must-revalidate forbids every stale answer`() {
        let freshness = Freshness.sample(whileRevalidate: 10, ifError: 20, flags: .mustRevalidate)
        #expect(freshness.state(at: now.adding(seconds: 99)) == .fresh(secondsLeft: 1))
        #expect(
            freshness.state(at: now.adding(seconds: 100))
                == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: false))
    }

    @Test func `no-cache is never fresh and never served stale`() {
        let freshness = Freshness.sample(whileRevalidate: 10, ifError: 20, flags: .alwaysValidate)
        for (after, seconds) in [(0, 0), (99, 0), (105, 5)] {
            #expect(
                freshness.state(at: now.adding(seconds: Int64(after)))
                    == .stale(seconds: seconds, mayServeWhileRevalidating: false, mayServeOnError: false))
        }
    }

    /// lifetime 100, stale-while-revalidate 50, stale-if-error 80.
    @Test(
        arguments: [(0, 10, 10), (95, 10, 5), (100, 10, 0), (130, 10, -30), (0, 1_000, 100)]
            as [(Int64, Int32, Int)])
    func `an answer that will be replaced ends early, and never late`(
        after: Int64, seconds: Int32, left: Int
    ) {
        let freshness = Freshness.sample(whileRevalidate: 50, ifError: 80, flags: .immutable)
        let later = now.adding(seconds: after)
        let ending = freshness.ending(in: seconds, at: later)
        #expect(ending.secondsLeft(at: later) == left)
        #expect(ending.clientLifetime == ending.lifetime && ending.age(at: later) == freshness.age(at: later))
        #expect(ending.staleWhileRevalidate == min(50, seconds) && ending.staleIfError == min(80, seconds))
        #expect(ending.flags == [])
    }

    @Test func `without a window nothing stale is served`() {
        #expect(
            Freshness.sample().state(at: now.adding(seconds: 100))
                == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: false))
    }

    @Test func `an age on arrival beyond the lifetime is stale at once`() {
        #expect(
            Freshness.sample(age: 130, ifError: 31).state(at: now)
                == .stale(seconds: 30, mayServeWhileRevalidating: false, mayServeOnError: true))
    }

    @Test func `extreme numbers do not overflow`() {
        let freshness = Freshness.sample(age: .max, lifetime: .max, whileRevalidate: .max, ifError: .max)
        let end = Timestamp(seconds: 253_402_300_799)
        #expect(freshness.age(at: end) == Int(Int32.max) + 251_666_611_199)
        #expect(
            freshness.state(at: end)
                == .stale(seconds: 251_666_611_199, mayServeWhileRevalidating: false, mayServeOnError: false))
        #expect(
            freshness.state(at: freshness.responseTime)
                == .stale(seconds: 0, mayServeWhileRevalidating: true, mayServeOnError: true))
    }

    @Test func `a damaged arrival time is stale or new, and no trap`() {
        var freshness = Freshness.sample(age: .max)
        freshness.responseTime = Timestamp(milliseconds: .min)
        #expect(!freshness.isFresh(after: 0))
        freshness.responseTime = Timestamp(milliseconds: .max)
        #expect(freshness.age(at: Timestamp(milliseconds: .min)) == Int(Int32.max))
    }

    @Test func `what arrived in a future that the clock was set back from has to be asked about`() {
        var freshness = Freshness.sample(age: 0)
        let now = freshness.responseTime
        freshness.staleIfError = 10
        for (ahead, isFresh) in [(60, true), (61, false), (5 * 365 * 86_400, false)] as [(Int64, Bool)] {
            freshness.responseTime = now.adding(seconds: ahead)
            if case .fresh = freshness.state(at: now) { #expect(isFresh) } else { #expect(!isFresh) }
            #expect((freshness.secondsLeft(at: now) > 0) == isFresh)
        }
        #expect(
            freshness.state(at: now)
                == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: true))
        freshness.flags.insert(.mustRevalidate)
        #expect(
            freshness.state(at: now)
                == .stale(seconds: 0, mayServeWhileRevalidating: false, mayServeOnError: false))
    }

    @Test func `it is small enough to be kept by the million`() {
        #expect(MemoryLayout<Freshness>.stride == 32)
    }

    @Test func `what is fresh now was fresh before, and a stale answer allowed now was allowed before`() {
        var random = SeededRandom(for: "Freshness")
        func rank(_ state: Freshness.State) -> Int {
            switch state {
            case .fresh: 0
            case .stale(_, let whileRevalidating, let onError):
                (whileRevalidating ? 0 : 1) + (onError ? 0 : 2) + 1
            }
        }
        for _ in 0..<20_000 {
            let freshness = Freshness.sample(
                age: .random(in: 0...50, using: &random), lifetime: .random(in: 0...100, using: &random),
                whileRevalidate: .random(in: 0...50, using: &random),
                ifError: .random(in: 0...50, using: &random),
                flags: Freshness.Flags(rawValue: .random(in: 0...15, using: &random)))
            let later = Timestamp(
                milliseconds: now.milliseconds + .random(in: -59_000...260_000, using: &random))
            // The clock is set back by less than a minute only; larger steps have a test of their own.
            let earlier = Timestamp(
                milliseconds: max(
                    now.milliseconds - 59_000,
                    later.milliseconds - .random(in: 0...100_000, using: &random)))
            let (before, after) = (freshness.state(at: earlier), freshness.state(at: later))
            if case .fresh(let leftAfter) = after {
                guard case .fresh(let leftBefore) = before else {
                    Issue.record("seed \(random.seed): \(freshness)")
                    continue
                }
                #expect(leftBefore >= leftAfter && leftAfter >= 1, "seed \(random.seed)")
            } else if case .stale(let seconds, let revalidating, let onError) = after,
                case .stale(let secondsBefore, let revalidatingBefore, let onErrorBefore) = before
            {
                #expect(secondsBefore <= seconds && seconds >= 0, "seed \(random.seed)")
                #expect(!revalidating || revalidatingBefore, "seed \(random.seed)")
                #expect(!onError || onErrorBefore, "seed \(random.seed)")
            }
            #expect(rank(before) == 0 || rank(after) != 0, "seed \(random.seed)")
        }
    }

    @Test func `what is made of two responses is as restricted as both, now and later`() {
        var random = SeededRandom(for: "Freshness")
        func sample() -> Freshness {
            .sample(
                age: .random(in: 0...50, using: &random), lifetime: .random(in: 0...100, using: &random),
                whileRevalidate: .random(in: 0...50, using: &random),
                ifError: .random(in: 0...50, using: &random),
                flags: Freshness.Flags(rawValue: .random(in: 0...63, using: &random)))
        }
        for _ in 0..<20_000 {
            let (a, b) = (sample(), sample())
            let joined = a.joined(with: b, at: now)
            let later = Timestamp(milliseconds: now.milliseconds + .random(in: 0...260_000, using: &random))
            let states = [a, b].map { $0.state(at: later) }
            let areFresh = states.allSatisfy { if case .fresh = $0 { true } else { false } }
            switch joined.state(at: later) {
            case .fresh(let left):
                #expect(
                    areFresh && left == [a, b].map { $0.secondsLeft(at: later) }.min(), "seed \(random.seed)")
            case .stale(_, let revalidating, let onError):
                #expect(!areFresh, "seed \(random.seed)")
                for case .stale(_, let itsRevalidating, let itsOnError) in states {
                    #expect(!revalidating || itsRevalidating, "seed \(random.seed)")
                    #expect(!onError || itsOnError, "seed \(random.seed)")
                }
            }
            let restricted: Freshness.Flags = [.clientsMayNotStore, .privateToClients, .alwaysValidate]
            #expect(joined.flags.isSuperset(of: a.flags.union(b.flags).intersection(restricted)))
            #expect(joined.flags.contains(.immutable) == (a.flags.intersection(b.flags).contains(.immutable)))
        }
    }

    @Test func `clients keep what is made of two responses for as long as both let them, at any age`() {
        var random = SeededRandom(for: "Freshness")
        func sample() -> Freshness {
            let lifetime = Int32.random(in: 0...100, using: &random)
            return .sample(
                age: .random(in: 0...50, using: &random), lifetime: lifetime,
                client: Int32.random(in: 0...lifetime, using: &random))
        }
        func left(_ freshness: Freshness, at time: Timestamp) -> Int {
            let directives = ClientDirectives(freshness, at: time, policy: ClientPolicy())
            guard case .keep(let maxAge, _, _, _, _) = directives.cacheControl else { return 0 }
            return max(0, maxAge - directives.age)
        }
        for _ in 0..<5_000 {
            let (a, b) = (sample(), sample())
            let later = now.adding(seconds: .random(in: 0...60, using: &random))
            #expect(
                left(a.joined(with: b, at: now), at: later) == min(left(a, at: later), left(b, at: later)),
                "seed \(random.seed): \(a), \(b)")
        }
    }

    @Test func `clients are told no stale time of the one in which the other is fresh for us alone`() {
        let ours = Freshness.sample(lifetime: 100, client: 2)
        let short = Freshness.sample(lifetime: 5, whileRevalidate: 60)
        for joined in [ours.joined(with: short, at: now), short.joined(with: ours, at: now)] {
            #expect((joined.lifetime, joined.staleWhileRevalidate) == (5, 60))
            let directives = ClientDirectives(joined, at: now, policy: ClientPolicy())
            #expect(directives.cacheControl.text == "public, max-age=2")
        }
    }

    @Test func `the older of two responses counts, whichever it is, and neither is trusted from the future`()
    {
        let short = Freshness.sample(age: 50, lifetime: 60, whileRevalidate: 0, ifError: 100, flags: [])
        let long = Freshness.sample(age: 0, lifetime: 40, whileRevalidate: 10, ifError: 5, flags: [])
        for joined in [short.joined(with: long, at: now), long.joined(with: short, at: now)] {
            #expect(joined.secondsLeft(at: now) == 10)
            let stale = joined.state(at: now.adding(seconds: 12))
            #expect(stale == .stale(seconds: 2, mayServeWhileRevalidating: false, mayServeOnError: true))
            let late = joined.state(at: now.adding(seconds: 46))
            #expect(late == .stale(seconds: 36, mayServeWhileRevalidating: false, mayServeOnError: false))
        }
        var future = long
        future.responseTime = now.adding(seconds: 3600)
        guard case .stale = short.joined(with: future, at: now).state(at: now) else {
            Issue.record("the age of what comes from the future is unknown")
            return
        }
    }
}
