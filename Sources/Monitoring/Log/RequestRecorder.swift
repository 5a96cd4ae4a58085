// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Clients
internal import HTTPSemantics
package import HTTPServer
package import Pipeline
internal import Platform
internal import Synchronization
package import Telemetry
internal import Traces

/// Counts each exchange of the public listener, ends its span, and writes its line of the access log.
///
/// **Isolation:** atomics; the other parts have locks of their own.
package final class RequestRecorder: Sendable {
    /// The counters.
    package let metrics: Metrics
    /// The access log, which writes nothing if the settings switch it off.
    package let accessLog: AccessLog
    /// Nil if requests are not traced.
    package let traces: RequestTraces?
    let topTargets = TopTargets()
    /// How origins have answered lately.
    package let origins = TopOrigins()
    private let recentErrors = RecentErrors()
    private let inFlight = Atomic<Int>(0)

    package init(metrics: Metrics, accessLog: AccessLog, traces: RequestTraces? = nil) {
        self.metrics = metrics
        self.accessLog = accessLog
        self.traces = traces
    }

    /// The number of requests that wait for the pipeline.
    var requestsInFlight: Int { inFlight.load(ordering: .relaxed) }
    /// Counts a request that enters the pipeline.
    package func began() { inFlight.add(1, ordering: .relaxed) }
    /// Counts a request that leaves the pipeline.
    package func ended() { inFlight.subtract(1, ordering: .relaxed) }

    /// Counts a request that gets the settings' fallback picture in place of an error.
    package func fellBack() { metrics.fallbacks.add() }

    /// The most requested targets, the first one first, with secrets hidden.
    package func busiestTargets(_ count: Int) -> [TopTargets.Entry] {
        topTargets.top(count, hiding: accessLog.secrets)
    }

    /// The last errors, the newest first, with secrets hidden.
    package var lastErrors: [RecentErrors.Entry] { recentErrors.entries(hiding: accessLog.secrets) }

    /// The URL of an original, with secrets hidden.
    package func shown(_ url: String) -> String { accessLog.secrets.redacted(url) }

    /// Records an exchange. Called on the event loop, so it never blocks.
    package func record(_ exchange: borrowing ExchangeRecord) {
        let tag = AnswerTag(exchange.tag)
        let (outcome, dialect) = (tag.recordedOutcome, tag.dialect)
        metrics.requests.add(
            RequestLabels(
                dialect: dialect, outcome: outcome.label, status: StatusClassLabel(status: exchange.status)))
        if let index = tag.errorIndex { metrics.refusals.add(at: index) }
        metrics.responseBytes.add(dialect, exchange.bodyBytes)
        metrics.times.record(outcome.label, microseconds: exchange.microseconds)
        let isProbe = outcome == .synthetic && Self.isGoodProbe(exchange)
        // An answer below 400 may still be a failure: a fallback picture, or a redirect to one.
        if exchange.status < 400, tag.errorIndex == nil {
            if !isProbe {
                topTargets.note(exchange.target, bytes: exchange.bodyBytes, hiding: accessLog.secrets)
            }
        } else if exchange.status != ExchangeRecord.clientClosedRequest {
            recentErrors.note(
                method: exchange.method, target: exchange.target, status: exchange.status,
                outcome: outcome.rawValue, error: tag.error, time: SystemEnvironment.now().milliseconds,
                hiding: accessLog.secrets)
        }
        let place = traces?.finish(exchange, tag)
        if let place { show(place, for: exchange, tag) }
        if !isProbe { accessLog.write(exchange, tag, place?.trace) }
    }

    /// True for a health probe with a good result. Load balancers probe every few seconds.
    private static func isGoodProbe(_ exchange: borrowing ExchangeRecord) -> Bool {
        exchange.status == 200 && exchange.target.starts(with: "/health/".utf8)
    }

    /// Makes the trace the exemplar of the numbers to which the exchange was added.
    private func show(_ place: TracePlace, for exchange: borrowing ExchangeRecord, _ tag: AnswerTag) {
        let time = SystemEnvironment.now().milliseconds
        let exemplar = Exemplar(trace: place.trace, span: place.span, time: time)
        metrics.times.show(exemplar, tag.recordedOutcome.label, microseconds: exchange.microseconds)
        if let index = tag.errorIndex { metrics.refusals.show(exemplar, at: index) }
        guard let times = (exchange.notes as? AnswerNotes)?.times else { return }
        for stage in StageTimes.Stage.allCases where times[stage] > 0 {
            metrics.stages.show(exemplar, StageLabel(stage), microseconds: times[stage])
        }
    }

    /// Records the durations of the stages of an answer or a failure.
    package func record(_ times: StageTimes) {
        for stage in StageTimes.Stage.allCases where times[stage] > 0 {
            metrics.stages.record(StageLabel(stage), microseconds: times[stage])
        }
    }
}

extension AnswerTag {
    /// The outcome in logs, spans and metrics: a request that did not reach the pipeline counts as refused.
    var recordedOutcome: Outcome { outcome ?? .refused }
}

extension StageLabel {
    fileprivate init(_ stage: StageTimes.Stage) {
        switch stage {
        case .cache: self = .cache
        case .origin: self = .origin
        case .inspect: self = .inspect
        case .queue: self = .queue
        case .decode: self = .decode
        case .encode: self = .encode
        }
    }
}

extension Outcome {
    /// The outcome's name in the metrics.
    package var label: OutcomeLabel {
        switch self {
        case .memoryHit: .memoryHit
        case .diskHit: .diskHit
        case .sharedHit: .sharedHit
        case .stale: .stale
        case .revalidated: .revalidated
        case .rendered: .rendered
        case .coalesced: .coalesced
        case .negative: .negative
        case .bypassed: .bypassed
        case .refused: .refused
        case .synthetic: .synthetic
        }
    }
}
