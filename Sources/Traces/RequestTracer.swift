// SPDX-License-Identifier: Apache-2.0

package import Tracing

/// Traces requests: chooses, gathers a request's spans until it is over, and hands over those of the kept.
///
/// **Isolation:** immutable; the numbers and the rule guard themselves.
package final class RequestTracer: Sendable {
    /// Which traces are kept.
    package var rule: SamplingRule { current.rule }
    private let current: SharedRule
    let numbers: SpanNumbers
    let now: @Sendable () -> UInt64
    let keep: @Sendable ([FinishedSpan]) -> Void

    /// - Parameters:
    ///   - now: nanoseconds since 1970.
    ///   - keep: takes the spans to export. Called on any thread; must not block.
    package init(
        _ rule: SamplingRule, numbers: SpanNumbers, now: @escaping @Sendable () -> UInt64,
        keep: @escaping @Sendable ([FinishedSpan]) -> Void
    ) {
        (current, self.numbers, self.now, self.keep) = (SharedRule(rule), numbers, now, keep)
    }

    /// Keeps others of the traces that end from now on, and chooses others of those that begin.
    package func replaceRule(with rule: SamplingRule) { current.replace(with: rule) }

    /// The span of a request, to be ended by `finish`.
    /// - Parameter parent: as the client told it; taken by the rule alone.
    package func begin(_ name: String, parent: TracePlace? = nil, ofKind kind: SpanKind = .server)
        -> RequestSpan
    {
        let parent = rule.takesParent ? parent : nil
        let id = parent?.trace ?? numbers.trace()
        let trace = RequestTrace(
            self, id: id, isSampled: parent?.isSampled ?? rule.chooses(id), state: parent?.state ?? "")
        return RequestSpan(
            name, of: trace, kind: kind, start: now(), parent: parent?.span, isParentRemote: parent != nil)
    }

    /// Ends a request's span, and with it the wait for the verdict.
    /// - Parameters:
    ///   - microseconds: from the end of the request's head.
    ///   - describe: called before the end, if the trace is kept.
    /// - Returns: the span's place if the trace is kept.
    @discardableResult
    package func finish(
        _ span: RequestSpan, status: Int, microseconds: Int, describe: (RequestSpan) -> Void = { _ in }
    ) -> TracePlace? {
        let isKept = span.trace.isSampled || rule.keeps(status: status, microseconds: microseconds)
        if isKept { describe(span) }
        if status >= 500 { span.setStatus(SpanStatus(code: .error)) }
        span.end(nanoseconds: now())
        return span.trace.conclude(keep: isKept) ? span.place : nil
    }

    /// The span of a request that was answered at once, as it would have begun; nil if it is not kept.
    package func instant(_ name: String, status: Int, microseconds: Int) -> RequestSpan? {
        let id = numbers.trace()
        let isSampled = rule.chooses(id)
        guard isSampled || rule.keeps(status: status, microseconds: microseconds) else { return nil }
        let trace = RequestTrace(self, id: id, isSampled: isSampled, state: "")
        return RequestSpan(
            name, of: trace, kind: .server, start: now() &- UInt64(clamping: microseconds) &* 1000,
            parent: nil)
    }
}

extension RequestTracer {
    /// Makes this the tracer of libraries that are instrumented for swift-distributed-tracing. Once in a process.
    package func bootstrap() { InstrumentationSystem.bootstrap(self) }
}

// The interface that those libraries call.
extension RequestTracer: Tracer {
    package typealias Span = RequestSpan

    /// Below the request's span; without one, a span that is never kept, because nobody ends its trace.
    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RequestSpan {
        context().requestSpan?.child(operationName, ofKind: kind, start: instant().nanosecondsSinceEpoch)
            ?? begin(operationName, ofKind: kind)
    }

    package func activeSpan(identifiedBy context: InstrumentationContext) -> RequestSpan? {
        context.requestSpan
    }

    /// The exporter sends what it has within a second.
    package func forceFlush() {}

    /// A request's parent is taken by `begin`.
    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let place = context.requestSpan?.place else { return }
        injector.inject(place.traceparent, forKey: "traceparent", into: &carrier)
        if !place.state.isEmpty { injector.inject(place.state, forKey: "tracestate", into: &carrier) }
    }
}
