// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Clients
internal import HTTP1
internal import HTTPSemantics
package import HTTPServer
package import Pipeline
internal import Platform
internal import Synchronization
package import Telemetry
internal import Traces

/// Counts each exchange of the public listener, ends its span, and writes its line of the access log.
///
/// **Isolation:** atomics, and an access log that guards itself.
package final class RequestRecorder: Sendable {
    /// The counters.
    package let metrics: Metrics
    /// Writes nothing where the settings switch it off.
    package let accessLog: AccessLog
    /// Nil where nothing is traced.
    package let traces: RequestTraces?
    let topTargets = TopTargets()
    /// How the origins answer.
    package let origins = TopOrigins()
    private let recentErrors = RecentErrors()
    private let inFlight = Atomic<Int>(0)

    /// Counts from zero. Nil as `traces` traces nothing.
    package init(metrics: Metrics, accessLog: AccessLog, traces: RequestTraces? = nil) {
        self.metrics = metrics
        self.accessLog = accessLog
        self.traces = traces
    }

    /// Requests that wait for the pipeline.
    var requestsInFlight: Int { inFlight.load(ordering: .relaxed) }
    /// A request enters the pipeline.
    package func began() { inFlight.add(1, ordering: .relaxed) }
    /// A request leaves the pipeline.
    package func ended() { inFlight.subtract(1, ordering: .relaxed) }

    /// A request is answered with the settings' picture in place of an error.
    package func fellBack() { metrics.fallbacks.add() }

    /// The targets that are asked for most, the first most, as they may be shown.
    package func busiestTargets(_ count: Int) -> [TopTargets.Entry] {
        topTargets.top(count, hiding: accessLog.secrets)
    }

    /// The last errors, the last first, as they may be shown.
    package var lastErrors: [RecentErrors.Entry] { recentErrors.entries(hiding: accessLog.secrets) }

    /// The URL of an original as it may be shown.
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
        // A failure may have been answered with a picture, or by sending the client elsewhere.
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

    /// True for a probe that found all well. Balancers ask every few seconds.
    private static func isGoodProbe(_ exchange: borrowing ExchangeRecord) -> Bool {
        exchange.status == 200 && exchange.target.starts(with: "/health/".utf8)
    }

    /// Names the trace beside the numbers to which the exchange was added.
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

    /// Records the stages of an answer or a failure from the pipeline.
    package func record(_ times: StageTimes) {
        for stage in StageTimes.Stage.allCases where times[stage] > 0 {
            metrics.stages.record(StageLabel(stage), microseconds: times[stage])
        }
    }
}

extension AnswerTag {
    /// As logs, spans and metrics tell it: a request that did not reach the pipeline was refused.
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
