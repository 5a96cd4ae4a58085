// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// The decision on a request for an original, and its reason (RFC 9111 §4, RFC 5861).
///
/// A pure function of the held original and the circumstances; no other place decides this. `OriginalStage` executes the step,
/// `explain` prints it with its reason, and `EarlyRefusal` asks for it before a request has cost anything.
struct OriginalDecision: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        /// The held original is served; the origin is not asked.
        case serve(Original)
        /// The held original is served past its lifetime; `refresh`: the origin is asked behind the answer.
        case serveStale(Original, refresh: Bool)
        /// The origin is asked, or a request in flight is joined; `mustAsk`: even where it is known to fail.
        case ask(mustAsk: Bool)
        /// The same for a moment only (`staleWait`): the held original stands in where the origin fails or is silent.
        case askBriefly(orServe: Original)
        /// The origin confirms the held original, for this request, although that may be fresh.
        case confirm(Original)
        case refuse(PipelineFailure)
    }

    /// Why. Durations in seconds.
    enum Reason: Sendable, Hashable {
        case isFresh(secondsLeft: Int)
        /// The request's own `max-stale`.
        case clientTakesStale(seconds: Int)
        /// Within the origin's `stale-while-revalidate`.
        case isStaleButRefreshed(seconds: Int)
        case isStale(seconds: Int)
        /// `no-cache`, or a `Vary` that does not fit any more.
        case isConfirmedEachTime
        /// The request's own `no-cache`, `max-age` or `min-fresh`.
        case clientWantsConfirmation
        case nothingIsHeld
        /// The request's own `only-if-cached`.
        case clientWantsNothingFetched
        /// It failed a moment ago, which is remembered or suspected to go on.
        case hasFailed
        /// The origin is left alone: it failed again and again.
        case originRests
        /// Nobody here is free to ask the origin at once.
        case noSlotIsFree
        /// It is being fetched, and other requests have waited for that for `staleWait`.
        case fetchIsLate
        /// Too much is waiting already.
        case isOverloaded
    }

    /// The circumstances of the decision at one moment, beside the held original.
    struct Circumstances: Sendable {
        /// How the last fetch failed, while that is remembered (`rememberedFor` above 0) or suspected to go on (0).
        var failure: PipelineFailure?
        /// Of the origin, for a request that would get nothing without it.
        var outlook = OriginHealth.Outlook.well
        /// The same for a request that can be answered without it.
        var outlookOfRefresh = OriginHealth.Outlook.well
        /// A request for this original is in flight, and can be joined.
        var isInFlight = false
        /// A request has given up waiting for that.
        var isLate = false
        /// A new request to the origin would have to wait for a slot.
        var isFull = false
        /// The refusal that a new request to the origin is certain to meet.
        var overload: PipelineFailure?
        /// No other refresh may begin now.
        var isRefreshFull = false

        var knownFailure: PipelineFailure? { failure.flatMap { $0.rememberedFor > 0 ? $0 : nil } }

        fileprivate var mayRefresh: Bool {
            if case .resting = outlookOfRefresh { return false }
            return failure == nil && !isInFlight && !isRefreshFull
        }
    }

    var step: Step
    var reason: Reason
    /// A request in flight will answer it.
    var joins = false

    private init(_ step: Step, _ reason: Reason, joins: Bool = false) {
        self.step = step
        self.reason = reason
        self.joins = joins
    }

    /// - Parameter circumstances: looked up only where the held original does not decide alone.
    init(
        holding held: Original?, _ directives: RequestDirectives, at now: Timestamp,
        _ circumstances: () -> Circumstances
    ) {
        guard let held else {
            self = Self.asking(
                .ask(mustAsk: directives.noCache), .nothingIsHeld, directives, circumstances)
            return
        }
        let state = held.freshness.state(at: now)
        switch (directives.judge(held.freshness, at: now), state) {
        case (.validate, _):
            self = Self.asking(.confirm(held), .clientWantsConfirmation, directives, circumstances)
        case (.serve, .fresh(let seconds)), (.usual, .fresh(let seconds)):
            self.init(.serve(held), .isFresh(secondsLeft: seconds))
        case (.serve, .stale(let seconds, _, _)):
            self.init(.serveStale(held, refresh: false), .clientTakesStale(seconds: seconds))
        case (.usual, .stale(let seconds, mayServeWhileRevalidating: true, _)):
            let refresh = !directives.onlyIfCached && circumstances().mayRefresh
            self.init(.serveStale(held, refresh: refresh), .isStaleButRefreshed(seconds: seconds))
        case (.usual, .stale(let seconds, _, let mayServeOnError)):
            let reason =
                held.freshness.flags.contains(.alwaysValidate)
                ? Reason.isConfirmedEachTime : .isStale(seconds: seconds)
            self = Self.asking(
                mayServeOnError ? .askBriefly(orServe: held) : .ask(mustAsk: false), reason, directives,
                circumstances)
        }
    }

    /// The step, as far as circumstances allow it.
    private static func asking(
        _ step: Step, _ reason: Reason, _ directives: RequestDirectives, _ circumstances: () -> Circumstances
    ) -> OriginalDecision {
        if directives.onlyIfCached {
            return OriginalDecision(.refuse(PipelineFailure(.notHeld)), .clientWantsNothingFetched)
        }
        let circumstances = circumstances()
        if case .askBriefly(let stale) = step,
            let decision = standingIn(stale, circumstances)
        {
            return decision
        }
        if step.heedsFailures, let known = circumstances.knownFailure {
            return OriginalDecision(.refuse(known), .hasFailed)
        }
        if circumstances.isInFlight { return OriginalDecision(step, reason, joins: true) }
        if case .resting(let rest) = circumstances.outlook {
            return OriginalDecision(.refuse(PipelineFailure(.originResting(rest))), .originRests)
        }
        if let overload = circumstances.overload {
            return OriginalDecision(.refuse(overload), .isOverloaded)
        }
        return OriginalDecision(step, reason)
    }

    /// A stale original stands in at once where the origin is known or suspected to fail, where no slot is free to ask it, and
    /// where it is silent for longer than `staleWait`. So a request that can be answered now neither queues with those that
    /// cannot, nor waits for a probe.
    private static func standingIn(_ stale: Original, _ circumstances: Circumstances) -> OriginalDecision? {
        if let failure = circumstances.failure {
            let step: Step = failure.allowsStale ? .serveStale(stale, refresh: false) : .refuse(failure)
            return OriginalDecision(step, .hasFailed)
        }
        let refreshing = Step.serveStale(stale, refresh: circumstances.mayRefresh)
        if circumstances.outlookOfRefresh != .well { return OriginalDecision(refreshing, .originRests) }
        if circumstances.isFull { return OriginalDecision(refreshing, .noSlotIsFree) }
        if circumstances.isLate { return OriginalDecision(.serveStale(stale, refresh: false), .fetchIsLate) }
        return nil
    }
}

extension OriginalDecision.Step {
    /// Not asked for where the origin is known to fail.
    fileprivate var heedsFailures: Bool {
        switch self {
        case .ask(let mustAsk): !mustAsk
        case .askBriefly: true
        case .confirm, .serve, .serveStale, .refuse: false
        }
    }
}
