// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import Tracing

/// The spans of one request, which wait for the verdict on it. What ends afterwards, as a refresh behind a stale answer,
/// goes the same way.
///
/// **Isolation:** a `Mutex`.
final class RequestTrace: Sendable {
    private enum State {
        case waiting([FinishedSpan])
        case kept, dropped
    }

    /// Spans below the request's own: a picture with a watermark and a format tried twice has about 20.
    static let limit = 64

    let id: TraceID
    /// Chosen at the start, by the rule or by the parent.
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

    /// The first verdict counts. False if it was to drop.
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
