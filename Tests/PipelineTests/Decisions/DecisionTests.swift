// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import SourceURLs
import Testing

/// Tests the rules alone: no cache, no origin, no clock.
@Suite("What becomes of a request is decided from what is held and from the other inputs")
struct DecisionTests {
    private typealias Step = OriginalDecision.Step
    private static let now = Timestamp(seconds: 1_000_000)
    private static let failure = PipelineFailure(
        .originStatus(500, retryAfter: nil), rememberedFor: 5, isFromMemory: true)
    private static let suspicion = PipelineFailure(
        .originStatus(500, retryAfter: nil), rememberedFor: 0, isFromMemory: true)
    private static let gone = PipelineFailure(
        .originStatus(404, retryAfter: nil), rememberedFor: 5, isFromMemory: true)
    private static let overload = PipelineFailure.overloaded(retryAfter: 1)
    private static let rest = OriginHealth.Outlook.resting(OriginRest(seconds: 7))

    /// An original with a lifetime of 60 s that arrived `age` seconds ago.
    private static func original(
        age: Int32, staleWhileRevalidate: Int32 = 0, staleIfError: Int32 = 0, flags: Freshness.Flags = []
    ) -> Original {
        let body = TestBody(content: "one")
        return Original(
            key: SourceURL(scheme: .http, host: "origin.test", port: 80, target: "/a").bareKey,
            digest: body.digest, length: 3, header: ImageHeader(format: .jpeg, width: 4, height: 3),
            lastModified: nil,
            freshness: Freshness(
                responseTime: now, initialAge: age, lifetime: 60, staleWhileRevalidate: staleWhileRevalidate,
                staleIfError: staleIfError, flags: flags))
    }

    private static func decide(
        _ held: Original?, _ directives: String = "",
        _ change: (inout OriginalDecision.Inputs) -> Void = { _ in }
    ) -> OriginalDecision {
        var inputs = OriginalDecision.Inputs()
        change(&inputs)
        return OriginalDecision(holding: held, RequestDirectives(directives), at: now) { inputs }
    }

    private static func notHeld(_ decision: OriginalDecision) -> Bool {
        decision.step == .refuse(PipelineFailure(.notHeld)) && decision.reason == .clientWantsNothingFetched
    }

    // MARK: Originals

    @Test func `what is fresh is served, whatever the other inputs`() {
        let held = Self.original(age: 10)
        let decision = OriginalDecision(holding: held, RequestDirectives(), at: Self.now) {
            Issue.record("They need not be looked at.")
            return OriginalDecision.Inputs()
        }
        #expect(decision.step == .serve(held) && decision.reason == .isFresh(secondsLeft: 50))
        #expect(Self.decide(held, "only-if-cached").step == .serve(held))
    }

    @Test func `a request may want it confirmed, or take it stale`() {
        let fresh = Self.original(age: 10)
        for directives in ["no-cache", "max-age=9", "min-fresh=51"] {
            let decision = Self.decide(fresh, directives) { $0.failure = Self.failure }
            #expect(decision.step == .confirm(fresh), "\(directives)")
            #expect(decision.reason == .clientWantsConfirmation)
        }
        #expect(Self.notHeld(Self.decide(fresh, "no-cache, only-if-cached")))
        let stale = Self.original(age: 70)
        #expect(Self.decide(stale, "max-stale=10").step == .serveStale(stale, refresh: false))
        #expect(Self.decide(stale, "max-stale=9").step == .ask(mustAsk: false))
        let strict = Self.original(age: 70, flags: .mustRevalidate)
        #expect(Self.decide(strict, "max-stale").step == .ask(mustAsk: false))
    }

    @Test func `nothing held is asked for, unless that is in vain`() {
        #expect(Self.decide(nil).step == .ask(mustAsk: false))
        #expect(Self.decide(nil, "no-cache").step == .ask(mustAsk: true))
        #expect(Self.notHeld(Self.decide(nil, "only-if-cached")))
        #expect(Self.decide(nil) { $0.failure = Self.failure }.step == .refuse(Self.failure))
        #expect(Self.decide(nil, "no-cache") { $0.failure = Self.failure }.step == .ask(mustAsk: true))
        #expect(Self.decide(nil) { $0.failure = Self.suspicion }.step == .ask(mustAsk: false))
        let resting = Self.decide(nil) { $0.outlook = Self.rest }
        #expect(resting.step == .refuse(PipelineFailure(.originResting(OriginRest(seconds: 7)))))
        #expect(resting.reason == .originRests)
        let full = Self.decide(nil) { $0.overload = Self.overload }
        #expect(full.step == .refuse(Self.overload) && full.reason == .isOverloaded)
        // A request that can wait for a permit is not refused.
        #expect(Self.decide(nil) { $0.isFull = true }.step == .ask(mustAsk: false))
    }

    @Test func `a request in flight is joined, whatever a new one would meet`() {
        for held in [nil, Self.original(age: 70), Self.original(age: 70, staleIfError: 100)] {
            let decision = Self.decide(held) {
                $0.isInFlight = true
                $0.outlook = Self.rest
                $0.overload = Self.overload
            }
            #expect(decision.joins, "\(String(describing: held))")
        }
        #expect(
            Self.decide(nil) { ($0.isInFlight, $0.failure) = (true, Self.failure) }.step
                == .refuse(Self.failure))
    }

    @Test func `within stale-while-revalidate it is served, and one refresh begins behind it`() {
        let held = Self.original(age: 70, staleWhileRevalidate: 20)
        let refreshed = Self.decide(held)
        #expect(refreshed.step == .serveStale(held, refresh: true))
        #expect(refreshed.reason == .isStaleButRefreshed(seconds: 10))
        #expect(Self.decide(held, "only-if-cached").step == .serveStale(held, refresh: false))
        let hindrances: [(inout OriginalDecision.Inputs) -> Void] = [
            { $0.failure = Self.suspicion }, { $0.outlookOfRefresh = Self.rest }, { $0.isInFlight = true },
            { $0.isRefreshFull = true },
        ]
        for (number, hindrance) in hindrances.enumerated() {
            #expect(Self.decide(held, "", hindrance).step == .serveStale(held, refresh: false), "\(number)")
        }
        #expect(
            Self.decide(held) { $0.outlookOfRefresh = .probeDue }.step == .serveStale(held, refresh: true))
    }

    @Test func `within stale-if-error it is asked for briefly, or stands in at once`() {
        let held = Self.original(age: 70, staleIfError: 20)
        #expect(Self.decide(held).step == .askBriefly(orServe: held))
        #expect(Self.decide(held).reason == .isStale(seconds: 10))
        #expect(Self.notHeld(Self.decide(held, "only-if-cached")))
        let cases: [(OriginalDecision.Reason, refresh: Bool, (inout OriginalDecision.Inputs) -> Void)] = [
            (.hasFailed, false, { $0.failure = Self.failure }),
            (.hasFailed, false, { $0.failure = Self.suspicion }),
            (.originRests, false, { $0.outlookOfRefresh = Self.rest }),
            (.originRests, true, { $0.outlookOfRefresh = .probeDue }),
            (.noPermitIsFree, true, { $0.isFull = true }),
            (.noPermitIsFree, false, { ($0.isFull, $0.isInFlight) = (true, true) }),
            (.fetchIsLate, false, { ($0.isInFlight, $0.isLate) = (true, true) }),
        ]
        for (reason, refresh, change) in cases {
            let decision = Self.decide(held, "", change)
            #expect(decision.step == .serveStale(held, refresh: refresh), "\(reason)")
            #expect(decision.reason == reason)
        }
        // An original that its origin declares gone is not served any more.
        #expect(Self.decide(held) { $0.failure = Self.gone }.step == .refuse(Self.gone))
    }

    @Test func `beyond both it is asked for, as if nothing were held`() {
        let held = Self.original(age: 90, staleIfError: 20)
        #expect(Self.decide(held).step == .ask(mustAsk: false))
        #expect(Self.decide(held) { $0.failure = Self.failure }.step == .refuse(Self.failure))
        let each = Self.original(age: 0, staleIfError: 20, flags: .alwaysValidate)
        #expect(Self.decide(each).step == .ask(mustAsk: false))
        #expect(Self.decide(each).reason == .isConfirmedEachTime)
    }

    // MARK: Renditions

    private static func decide(
        heldIn level: CacheLevel?, _ change: (inout RenditionDecision.Inputs) -> Void = { _ in }
    ) -> RenditionDecision {
        var inputs = RenditionDecision.Inputs()
        change(&inputs)
        return RenditionDecision(heldIn: level) { inputs }
    }

    @Test func `a rendition that is held is served, whatever the other inputs`() {
        for level in CacheLevel.allCases {
            let decision = Self.decide(heldIn: level) {
                ($0.failure, $0.quota, $0.overload) = (Self.failure, Self.overload, Self.overload)
            }
            #expect(decision.step == .serve(level) && decision.reason == .isHeld)
        }
    }

    @Test func `one that is not held is made, joined or refused, in this order of reasons`() {
        let quota = PipelineFailure(.tooManyRenditions(limit: 1, retryAfter: 9))
        #expect(Self.decide(heldIn: nil).step == .render)
        var inputs = RenditionDecision.Inputs(
            failure: Self.failure, quota: quota, isInFlight: true, overload: Self.overload)
        func step() -> Step { Step(RenditionDecision(heldIn: nil) { inputs }) }
        #expect(step() == Step(.refuse(Self.failure), .hasFailed))
        inputs.failure = nil
        #expect(step() == Step(.refuse(quota), .quotaIsSpent))
        inputs.quota = nil
        #expect(step() == Step(.join, .isBeingMade))
        inputs.isInFlight = false
        #expect(step() == Step(.refuse(Self.overload), .isOverloaded))

        struct Step: Equatable {
            var step: RenditionDecision.Step
            var reason: RenditionDecision.Reason

            init(_ step: RenditionDecision.Step, _ reason: RenditionDecision.Reason) {
                (self.step, self.reason) = (step, reason)
            }

            init(_ decision: RenditionDecision) { self.init(decision.step, decision.reason) }
        }
    }
}
