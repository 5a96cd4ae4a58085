// SPDX-License-Identifier: Apache-2.0

package import Tracing

/// Traces requests: samples them, collects a request's spans until it ends, and hands over the spans of the traces that are kept.
///
/// **Isolation:** immutable; the numbers and the rule are atomic.
package final class RequestTracer: Sendable {
    /// Which traces are kept.
    package var rule: SamplingRule { current.rule }
    private let current: SharedRule
    let numbers: SpanNumbers
    let now: @Sendable () -> UInt64
    let keep: @Sendable ([FinishedSpan]) -> Void

    /// - Parameters:
    ///   - now: nanoseconds since 1970.
    ///   - keep: receives the spans to export. It is called on any thread and must not block.
    package init(
        _ rule: SamplingRule, numbers: SpanNumbers, now: @escaping @Sendable () -> UInt64,
        keep: @escaping @Sendable ([FinishedSpan]) -> Void
    ) {
        (current, self.numbers, self.now, self.keep) = (SharedRule(rule), numbers, now, keep)
    }

    /// Applies the rule to traces that begin or end from now on.
    package func replaceRule(with rule: SamplingRule) { current.replace(with: rule) }

    /// Begins the span of a request; `finish` ends it.
    /// - Parameter parent: the parent that the client named; ignored unless the rule takes parents.
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

    /// Ends a request's span and decides whether its trace is kept.
    /// - Parameters:
    ///   - microseconds: the time since the end of the request's head.
    ///   - describe: adds attributes before the span ends; called only if the trace is kept.
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

    /// Makes the span of a request that was answered without one, with the start that it would have had; nil if its trace is not
    /// kept.
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
    /// Makes this the tracer of libraries that are instrumented for swift-distributed-tracing. Call this once per process.
    package func bootstrap() { InstrumentationSystem.bootstrap(self) }
}

// The interface for those libraries.
extension RequestTracer: Tracer {
    package typealias Span = RequestSpan

    /// Begins a span below the request's span. Without a request's span, the new span is never kept, because nothing concludes
    /// its trace.
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

    /// Does nothing, because the exporter sends its spans within a second.
    package func forceFlush() {}

    /// Does nothing, because `begin` takes a request's parent.
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
