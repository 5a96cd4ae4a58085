// SPDX-License-Identifier: Apache-2.0
//
// From key to rendition. Decisions/OriginalDecision and Decisions/RenditionDecision decide about a request; the stages execute the
// decisions. `Pipeline.answer` runs them for a request. Pipeline+AnswerAtHand is the short cut on an event loop, and
// Pipeline+EarlyRefusal the refusal there. The stages in order, with their files:
//
//   the rendition quota     QuotaStage       how many renditions strangers may have made of one original
//   find the original       OriginalStage    fresh, stale but servable, to be revalidated, or missing
//   ask the shared store    FirstLookStage   what other nodes have fetched; taken over by SharedStage
//   hedge                   HedgeStage       ask the origin as well, where the store is late
//   whose turn it is        LeaseStage       the fleet's leases: another node may be doing it, for the shared store
//   fetch or revalidate     FetchStage       one in-flight request an original, with the validators of the held one
//   ask the origin          ExchangeStage    a permit of its origin, if that is well; how the exchange went
//   the fleet's limit       OriginTurnStage  the fleet's slot for one fetch from the origin, beside the permit
//   take the reply in       ReceiveStage     304, the same bytes, new bytes; its header; kept or not
//   the watermark           WatermarkStage   a second original, where the recipe has one
//   find the rendition      RenditionStage   limits, key, memory and disk cache
//   render                  RenderStage      one in-flight request a rendition; a decoder's permit; kept or not
//   the later AVIF          LaterStage       the next best format at once, and the AVIF after the answer
//   remember failures       FailureStage     so that nobody asks again too soon
//   the fallback            FallbackStage    the settings' picture in place of one that failed
//
// Other results than a rendition: RawStage passes the original on, DescribeStage reports on it, ExplainStage forecasts the answer.
//
// FetchAttempt and RenderAttempt are the work of one in-flight request, as its stages pass it on. Results/ has what stages return to
// one another, and the answers. Failures/ has the reasons for no picture: each failure has a row with all its consequences.
//
// PurgeStage removes pictures, even while others are under way; ForgetStage removes originals that may hold another URL's answer.
//
// The two in-flight requests follow one another and are never nested: a client waits for the original, then for the rendition, and
// holds no permit in between.

internal import HTTPSemantics
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// The pipeline from a request to its picture.
///
/// **Isolation:** holds no mutable state of its own; the tables, queues and counters guard theirs.
package final class Pipeline<Body: Sendable>: Sendable {
    let origin: any OriginPort<Body>
    let cache: any CachePort<Body>
    let decoder: any DecoderPort<Body>
    /// Nil if this node shares its work with no other node.
    let leases: (any LeasePort)?
    /// Nil if this node alone limits its fetches.
    let originLimits: (any OriginLimitPort)?
    let environment: any Environment
    /// The settings in force, which `replace` and `adopt` change (Pipeline+Rules).
    let rules: Mutex<Rules>

    let originals = Singleflight<FetchWork, Arrival<Body>>()
    let renditions = Singleflight<RenditionWork, RenditionResult<Body>>()
    let failures: FailureMemory
    /// The health of origins.
    package let health: OriginHealthTable
    let quota: Mutex<RenditionQuota>
    let report: @Sendable (PipelineEvent) -> Void
    let purges = PurgeLog()
    /// Background refreshes under way.
    let refreshes = ConcurrencyLimit()
    /// Renditions that are made after answers.
    let later: IdleQueue<RenditionKey>
    /// Permits for transfers, in all and per origin.
    package let fetches: Admission
    /// Permits for decoder jobs, in all.
    package let decodes: Admission
    let times = JobTimes()
    /// The alarms of looks into the shared store that may be late.
    let alarms: Alarms
    /// Statistics of looks into the shared store, which decide about further looks.
    let looks = Mutex(LookMemory())
    /// Totals since the start.
    package let counters = PipelineCounters()
    let hedges = Mutex(HedgeStatistics())
    let leaseTurns = Mutex(LeaseStatistics())
    let originTurns = Mutex(OriginTurnStatistics())
    /// Fetches that wait for a slot of the fleet, by the origin's name there.
    let originQueue = PollingQueue()

    /// - Parameter report: called on any thread; must not block.
    package init(
        _ ports: PipelinePorts<Body>, configuration: PipelineConfiguration,
        watermarks: [String: NamedPicture<Body>] = [:], fallback: NamedPicture<Body>? = nil,
        report: @escaping @Sendable (PipelineEvent) -> Void = { _ in }
    ) {
        self.report = report
        origin = ports.origin
        cache = ports.cache
        decoder = ports.decoder
        leases = ports.cache.isShared ? ports.leases : nil
        originLimits = ports.originLimits
        let environment = ports.environment
        self.environment = environment
        // If the clock was set back, originals that are held must not seem to have arrived after the start.
        // Cannot trap: at most one less than the greatest number, plus one.
        let next = min(ports.cache.newestAtStart.milliseconds, .max - 1) + 1
        let start = max(environment.now(), Timestamp(milliseconds: next))
        rules = Mutex(
            Rules(
                configuration: configuration, watermarks: watermarks, fallback: fallback, fieldsSince: start))
        alarms = Alarms(environment)
        later = IdleQueue(environment)
        failures = FailureMemory(capacity: configuration.rememberedFailures)
        health = OriginHealthTable(configuration.health, environment: environment) { report(.origin($0)) }
        quota = Mutex(RenditionQuota(limit: configuration.renditionsPerOriginal))
        fetches = Admission(limits: configuration.fetches, environment: environment) { [origin] in
            origin.giveWay(to: $0)
        }
        decodes = Admission(limits: configuration.decodes, environment: environment)
    }

    // MARK: The way of a request

    /// Answers a request. Cancelling the task returns at once; work that others wait for goes on.
    /// - Throws: the reason for no picture; its row has the client's answer.
    package func answer(_ request: PipelineRequest) async throws(PipelineFailure) -> Answer<Body> {
        let answer = try await withOriginal(for: request, foreseeing: true) {
            (arrival) async throws(PipelineFailure) in
            do throws(PipelineFailure) {
                // The raw original needs no watermark, so none is fetched.
                if request.recipe.output == .raw { return try await handOn(arrival, to: request) }
                let watermark = try await resolvedWatermark(for: request)
                return try await rendition(from: arrival, watermark, for: request)
            } catch {
                throw error.keptNoLonger(than: arrival, at: environment.now())
            }
        }
        if answer.outcome == .stale { counters.staleServed.count() }
        return answer
    }

    /// Makes something of the request's original.
    /// - Parameters:
    ///   - foreseeing: true to refuse a rendition beyond its original's quota before the origin is asked.
    ///   - make: returns nil if it needed the original's bytes and they were gone. A held original is forgotten then, so the second
    ///     attempt fetches it. A third attempt is needed if the second joined a revalidation that had begun before that.
    /// - Throws: the reason why nothing was made.
    func withOriginal<Made>(
        for request: PipelineRequest, foreseeing: Bool = false,
        _ make: (Arrival<Body>) async throws(PipelineFailure) -> Made?
    ) async throws(PipelineFailure) -> Made {
        do throws(PipelineFailure) {
            try refuseForbidden(request.source)
            for _ in 1...3 {
                let arrival = try await original(for: request, foreseeing: foreseeing)
                let made = try await after(arrival.times) { () async throws(PipelineFailure) in
                    try await make(arrival)
                }
                if let made { return made }
                counters.vanishedBodies.count()
            }
            throw PipelineFailure(.unavailable(.picture))
        } catch {
            throw count(error)
        }
    }

    /// - Throws: `.sourceRefused` if the policy forbids the source.
    func refuseForbidden(_ source: SourceURL) throws(PipelineFailure) {
        guard origin.permits(source) else { throw PipelineFailure(.origin(.sourceRefused)) }
    }

    func count(_ failure: PipelineFailure) -> PipelineFailure {
        if failure.isFromMemory { counters.negativeHits.count() }
        if case .overloaded = failure.reason { counters.overloaded.count() }
        return failure
    }

    // MARK: What is under way

    /// In-flight requests for originals and renditions.
    package var workInFlight: Int { originalsInFlight + renditionsInFlight }
    /// In-flight requests for originals.
    package var originalsInFlight: Int { originals.count }
    /// The originals that are being fetched or revalidated, the oldest first, and how many requests wait for each.
    package func fetching(_ count: Int) -> [(url: String, waiting: Int)] {
        originals.oldest(count).map { ($0.key.original.url, $0.waiting) }
    }
    /// In-flight requests for renditions.
    package var renditionsInFlight: Int { renditions.count }
    /// Renditions that are being made after answers, or wait for that.
    package var laterInFlight: Int { later.count }
    /// Starts no more of these from now on, because the process is about to end and would be kept busy by them.
    package func endLaterWork() { later.close() }
    /// Requests that wait for in-flight requests.
    package var waitingRequests: Int { originals.waiting + renditions.waiting }

    // MARK: Totals since the start

    package var hedgeStatistics: HedgeStatistics { hedges.withLock { $0 } }
    package var leaseStatistics: LeaseStatistics { leaseTurns.withLock { $0 } }
    package var originTurnStatistics: OriginTurnStatistics { originTurns.withLock { $0 } }
}
