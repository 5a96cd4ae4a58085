// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
package import Traces

/// One event behind a number: the trace that shows it.
package struct Exemplar: Sendable, Hashable {
    /// A trace that is kept.
    package var trace: TraceID
    /// The request's span in it.
    package var span: SpanID
    /// Milliseconds since 1970.
    package var time: Int64

    /// The exemplar of an event that has been counted.
    package init(trace: TraceID, span: SpanID, time: Int64) {
        (self.trace, self.span, self.time) = (trace, span, time)
    }

    /// By the names that Grafana looks for.
    var labels: [(String, String)] { [("trace_id", trace.text), ("span_id", span.text)] }

    /// Seconds since 1970.
    var seconds: String {
        let (seconds, rest) = max(time, 0).quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(String(1000 + rest).dropFirst())"
    }
}

/// The latest exemplar of each number of a metric.
///
/// They take memory from the first one on: 48 bytes a number. Only events whose trace is kept come here; others cost nothing.
///
/// **Isolation:** a `Mutex` that event loops only try: beside a scrape, or another event, an exemplar is left out.
final class Exemplars: Sendable {
    /// An exemplar, and what its event added.
    struct Entry: Sendable {
        var exemplar: Exemplar
        var amount: Int
    }

    private let count: Int
    private let entries = Mutex<[Entry?]>([])

    /// - Parameter count: numbers of the metric.
    init(_ count: Int) { self.count = count }

    func put(_ entry: Entry, at index: Int) {
        _ = entries.withLockIfAvailable { entries in
            // Cannot trap: a metric has a constant number of numbers.
            if entries.isEmpty { entries = Array(repeating: nil, count: count) }
            if entries.indices.contains(index) { entries[index] = entry }
        }
    }

    /// For each number its exemplar; empty before the first one.
    var all: [Entry?] { entries.withLock(\.self) }
}

extension [Exemplars.Entry?] {
    subscript(at index: Int) -> Exemplars.Entry? { indices.contains(index) ? self[index] : nil }
}
