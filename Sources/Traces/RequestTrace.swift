// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Tracing

/// The spans of one request, which wait until the request ends and the rule decides whether they are kept. Spans that end later,
/// such as a refresh behind a stale answer, follow the same decision.
///
/// **Isolation:** a `Mutex` guards the spans.
final class RequestTrace: Sendable {
    private enum State {
        case waiting([FinishedSpan])
        case kept, dropped
    }

    /// The most spans below the request's own. A picture with a watermark and a format tried twice has about 20.
    static let limit = 64

    let id: TraceID
    /// Whether the trace is sampled. The rule or the parent decides that at the start.
    let isSampled: Bool
    let state: String
    let tracer: RequestTracer
    private let spans = Mutex(State.waiting([]))

    init(_ tracer: RequestTracer, id: TraceID, isSampled: Bool, state: String) {
        (self.tracer, self.id, self.isSampled, self.state) = (tracer, id, isSampled, state)
    }

    func add(_ span: FinishedSpan) {
        let isKept = spans.withLock { held in
            switch held {
            case .kept: return true
            case .dropped: return false
            case .waiting(var spans):
                guard spans.count < Self.limit || span.kind == .server else { return false }
                held = .dropped
                spans.append(span)
                held = .waiting(spans)
                return false
            }
        }
        if isKept { tracer.keep([span]) }
    }

    /// Decides whether the spans are kept. Only the first call counts.
    /// - Returns: true if the spans are kept.
    @discardableResult
    func conclude(keep: Bool) -> Bool {
        let (spans, isKept): ([FinishedSpan], Bool) = spans.withLock { held in
            switch held {
            case .kept: return ([], true)
            case .dropped: return ([], false)
            case .waiting(let spans):
                held = keep ? .kept : .dropped
                return (keep ? spans : [], keep)
            }
        }
        if !spans.isEmpty { tracer.keep(spans) }
        return isKept
    }
}
