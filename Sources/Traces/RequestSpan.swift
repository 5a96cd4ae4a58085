// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
package import Tracing

/// A span of a request that is being traced.
///
/// **Isolation:** a `Mutex` guards the state.
package final class RequestSpan: Span {
    private struct State {
        var name: String
        var attributes = SpanAttributes()
        var events: [SpanEvent] = []
        var links: [TracePlace] = []
        var status: SpanStatus?
        var isEnded = false
    }

    /// The most events of a span, and the most links; further ones are left out.
    static let limit = 16
    /// The most bytes of an attribute's text. A limit is needed because clients choose the length of URLs, while the collector's queue
    /// is limited by the number of spans.
    static let longestText = 2_048

    let trace: RequestTrace
    private let id: SpanID
    private let kind: SpanKind
    /// Nanoseconds since 1970.
    package let start: UInt64
    private let parent: SpanID?
    private let isParentRemote: Bool
    private let state: Mutex<State>

    init(
        _ name: String, of trace: RequestTrace, kind: SpanKind, start: UInt64, parent: SpanID?,
        isParentRemote: Bool = false
    ) {
        (self.trace, self.kind, self.start) = (trace, kind, start)
        (self.parent, self.isParentRemote) = (parent, isParentRemote)
        id = trace.tracer.numbers.span()
        state = Mutex(State(name: name))
    }

    /// The span for which this task works; nil if no request is traced.
    package static var current: RequestSpan? { InstrumentationContext.current?.requestSpan }

    /// The span's place, as it is passed to other services.
    package var place: TracePlace {
        TracePlace(trace: trace.id, span: id, isSampled: trace.isSampled, state: trace.state)
    }

    /// Begins a span below this one.
    package func child(_ name: String, ofKind kind: SpanKind = .internal, start: UInt64? = nil) -> RequestSpan
    {
        RequestSpan(name, of: trace, kind: kind, start: start ?? trace.tracer.now(), parent: id)
    }

    /// Records a span below this one that has already ended.
    package func record(_ name: String, from start: UInt64, microseconds: Int) {
        child(name, start: start).end(nanoseconds: start &+ UInt64(clamping: microseconds) &* 1000)
    }

    /// Nanoseconds since 1970.
    package var now: UInt64 { trace.tracer.now() }

    /// Sets an attribute; nil changes nothing. A long text is cut.
    package func note(_ name: String, _ value: (any SpanAttributeConvertible)?) {
        guard let value else { return }
        let attribute = value.toSpanAttribute().cut
        state.withLock { $0.attributes[name] = attribute }
    }

    /// Links the span to a place in another trace.
    package func link(to place: TracePlace) {
        state.withLock { if $0.links.count < Self.limit { $0.links.append(place) } }
    }

    /// Notes that the result comes from another request's work. `place` is the place of that work's span; nil if it is not
    /// traced.
    package func join(_ place: TracePlace?) {
        note("pictor.coalesced", true)
        if let place { link(to: place) }
    }

    /// Ends the span. Only the first call counts.
    func end(nanoseconds: UInt64) {
        let finished: FinishedSpan? = state.withLock { state in
            guard !state.isEnded else { return nil }
            state.isEnded = true
            return FinishedSpan(
                name: state.name, kind: kind, place: place, parent: parent, isParentRemote: isParentRemote,
                start: start, end: max(start, nanoseconds), attributes: state.attributes,
                events: state.events,
                links: state.links, status: state.status)
        }
        if let finished { trace.add(finished) }
    }
}

extension RequestSpan {
    /// The context for the work that the span covers.
    package var context: InstrumentationContext {
        var context = InstrumentationContext.current ?? .topLevel
        context.requestSpan = self
        return context
    }

    package var operationName: String {
        get { state.withLock { $0.name } }
        set { state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0.attributes } }
        set { state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool { state.withLock { !$0.isEnded } }

    package func setStatus(_ status: SpanStatus) { state.withLock { $0.status = status } }

    package func addEvent(_ event: SpanEvent) {
        state.withLock { if $0.events.count < Self.limit { $0.events.append(event) } }
    }

    /// Links to spans of other tracers are ignored, because they have no place in these traces.
    package func addLink(_ link: SpanLink) {
        if let place = link.context.requestSpan?.place { self.link(to: place) }
    }

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.message"] = String("\(error)".prefix(Self.longestMessage))
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        end(nanoseconds: instant().nanosecondsSinceEpoch)
    }

    /// The most characters of an error's description.
    static var longestMessage: Int { 256 }
}

extension SpanAttribute {
    /// A long text is cut and ends with an ellipsis.
    fileprivate var cut: SpanAttribute {
        guard case .string(let text) = self, text.utf8.count > RequestSpan.longestText else { return self }
        return .string(String(decoding: text.utf8.prefix(RequestSpan.longestText), as: UTF8.self) + "…")
    }
}

private enum RequestSpanKey: InstrumentationContextKey {
    typealias Value = RequestSpan
    static var nameOverride: String? { "pictor-span" }
}

extension InstrumentationContext {
    /// The span of the traced request.
    var requestSpan: RequestSpan? {
        get { self[RequestSpanKey.self] }
        set { self[RequestSpanKey.self] = newValue }
    }
}
