// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics

/// The decision on a request for an original, with its reason (RFC 9111 §4, RFC 5861).
///
/// A pure function of the held original and the other inputs, and the only place that decides this.
/// `OriginalStage.swift` executes the step, `explain` prints it with its reason, and `Pipeline.earlyRefusal` asks for
/// it before a request has cost anything.
struct OriginalDecision: Sendable, Hashable {
    enum Step: Sendable, Hashable {
        /// Serve the held original without asking the origin.
        case serve(Original)
        /// Serve the held original past its lifetime; with `refresh`, ask the origin in the background.
        case serveStale(Original, refresh: Bool)
        /// Ask the origin, or join an in-flight request; with `mustAsk`, even if it is known to fail.
        case ask(mustAsk: Bool)
        /// As `ask`, for `staleWait` at most: the held original stands in if the origin fails or is silent.
        case askBriefly(orServe: Original)
        /// Ask the origin to confirm the held original for this request, although it may be fresh.
        case confirm(Original)
        case refuse(PipelineFailure)
    }

    /// The reason; durations in seconds.
    enum Reason: Sendable, Hashable {
        case isFresh(secondsLeft: Int)
        /// By the request's own `max-stale`.
        case clientTakesStale(seconds: Int)
        /// Within the origin's `stale-while-revalidate`.
        case isStaleButRefreshed(seconds: Int)
        case isStale(seconds: Int)
        /// By `no-cache`, or by a `Vary` that no longer matches.
        case isConfirmedEachTime
        /// By the request's own `no-cache`, `max-age` or `min-fresh`.
        case clientWantsConfirmation
        case nothingIsHeld
        /// By the request's own `only-if-cached`.
        case clientWantsNothingFetched
        /// The last fetch failed, and the failure is remembered, or suspected to continue.
        case hasFailed
        /// The origin rests after repeated failures.
        case originRests
        /// No permit for a fetch is free.
        case noPermitIsFree
        /// Other requests have waited longer than `staleWait` for the fetch under way.
        case fetchIsLate
        /// Too many requests wait already.
        case isOverloaded
    }

    /// The inputs of the decision at one moment, apart from the held original.
    struct Inputs: Sendable {
        /// The last fetch's failure, while it is remembered (`rememberedFor` above 0) or suspected to go on
        /// (0).
        var failure: PipelineFailure?
        /// The origin's outlook for a request that gets nothing without it.
        var outlook = OriginHealth.Outlook.well
        /// The origin's outlook for a request that can be answered without it.
        var outlookOfRefresh = OriginHealth.Outlook.well
        /// True if an in-flight request for this original can be joined.
        var isInFlight = false
        /// True if a request has given up on that in-flight request.
        var isLate = false
        /// True if a new fetch would have to wait for a permit.
        var isFull = false
        /// The refusal that a new fetch is certain to get; nil for none.
        var overload: PipelineFailure?
        /// True if no further background refresh may start.
        var isRefreshFull = false

        var knownFailure: PipelineFailure? { failure.flatMap { $0.rememberedFor > 0 ? $0 : nil } }

        fileprivate var mayRefresh: Bool {
            if case .resting = outlookOfRefresh { return false }
            return failure == nil && !isInFlight && !isRefreshFull
        }
    }

    var step: Step
    var reason: Reason
    /// True if an in-flight request will answer it.
    var joins = false

    private init(_ step: Step, _ reason: Reason, joins: Bool = false) {
        self.step = step
        self.reason = reason
        self.joins = joins
    }

    /// - Parameter inputs: looked up only if the held original alone does not decide.
    init(
        holding held: Original?, _ directives: RequestDirectives, at now: Timestamp,
        _ inputs: () -> Inputs
    ) {
        guard let held else {
            self = Self.asking(
                .ask(mustAsk: directives.wantsConfirmation), .nothingIsHeld, directives, inputs)
            return
        }
        let state = held.freshness.state(at: now)
        switch (directives.judge(held.freshness, at: now), state) {
        case (.validate, _):
            self = Self.asking(.confirm(held), .clientWantsConfirmation, directives, inputs)
        case (.serve, .fresh(let seconds)), (.usual, .fresh(let seconds)):
            self.init(.serve(held), .isFresh(secondsLeft: seconds))
        case (.serve, .stale(let seconds, _, _)):
            self.init(.serveStale(held, refresh: false), .clientTakesStale(seconds: seconds))
        case (.usual, .stale(let seconds, mayServeWhileRevalidating: true, _)):
            let refresh = !directives.onlyIfCached && inputs().mayRefresh
            self.init(.serveStale(held, refresh: refresh), .isStaleButRefreshed(seconds: seconds))
        case (.usual, .stale(let seconds, _, let mayServeOnError)):
            let reason =
                held.freshness.flags.contains(.alwaysValidate)
                ? Reason.isConfirmedEachTime : .isStale(seconds: seconds)
            self = Self.asking(
                mayServeOnError ? .askBriefly(orServe: held) : .ask(mustAsk: false), reason, directives,
                inputs)
        }
    }

    /// The step, unless the inputs replace it by another.
    private static func asking(
        _ step: Step, _ reason: Reason, _ directives: RequestDirectives, _ inputs: () -> Inputs
    ) -> OriginalDecision {
        if directives.onlyIfCached {
            return OriginalDecision(.refuse(PipelineFailure(.notHeld)), .clientWantsNothingFetched)
        }
        let inputs = inputs()
        if case .askBriefly(let stale) = step,
            let decision = standingIn(stale, inputs)
        {
            return decision
        }
        if step.heedsFailures, let known = inputs.knownFailure {
            return OriginalDecision(.refuse(known), .hasFailed)
        }
        if inputs.isInFlight { return OriginalDecision(step, reason, joins: true) }
        if case .resting(let rest) = inputs.outlook {
            return OriginalDecision(.refuse(PipelineFailure(.originResting(rest))), .originRests)
        }
        if let overload = inputs.overload {
            return OriginalDecision(.refuse(overload), .isOverloaded)
        }
        return OriginalDecision(step, reason)
    }

    /// Lets a stale original stand in at once if the origin is known or suspected to fail, if no permit is
    /// free, or if the origin has been silent for `staleWait`. So a request with an answer at hand neither
    /// queues with others nor waits for a probe.
    private static func standingIn(_ stale: Original, _ inputs: Inputs) -> OriginalDecision? {
        if let failure = inputs.failure {
            let step: Step = failure.allowsStale ? .serveStale(stale, refresh: false) : .refuse(failure)
            return OriginalDecision(step, .hasFailed)
        }
        let refreshing = Step.serveStale(stale, refresh: inputs.mayRefresh)
        if inputs.outlookOfRefresh != .well { return OriginalDecision(refreshing, .originRests) }
        if inputs.isFull { return OriginalDecision(refreshing, .noPermitIsFree) }
        if inputs.isLate { return OriginalDecision(.serveStale(stale, refresh: false), .fetchIsLate) }
        return nil
    }
}

extension OriginalDecision.Step {
    /// True for steps that are skipped while the origin is known to fail.
    fileprivate var heedsFailures: Bool {
        switch self {
        case .ask(let mustAsk): !mustAsk
        case .askBriefly: true
        case .confirm, .serve, .serveStale, .refuse: false
        }
    }
}
