// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
package import Traces

/// An event that is an example for a number on the page, and the trace that shows it.
package struct Exemplar: Sendable, Hashable {
    /// The ID of a trace that is kept.
    package var trace: TraceID
    /// The span of the request in that trace.
    package var span: SpanID
    /// Milliseconds since 1970.
    package var time: Int64

    package init(trace: TraceID, span: SpanID, time: Int64) {
        (self.trace, self.span, self.time) = (trace, span, time)
    }

    /// The labels' names are those that Grafana looks for.
    var labels: [(String, String)] { [("trace_id", trace.text), ("span_id", span.text)] }

    /// `time` as seconds since 1970, with three decimals.
    var seconds: String {
        let (seconds, rest) = max(time, 0).quotientAndRemainder(dividingBy: 1000)
        return "\(seconds).\(String(1000 + rest).dropFirst())"
    }
}

/// The latest exemplar of each number of a metric.
///
/// Memory is allocated with the first exemplar: 48 bytes for each number. Events whose trace is not kept cost nothing.
///
/// **Isolation:** a `Mutex` that event loops only try to lock: during a scrape, or beside another event, an exemplar is left out.
final class Exemplars: Sendable {
    /// An exemplar, and the value that its event added to the number.
    struct Entry: Sendable {
        var exemplar: Exemplar
        var amount: Int
    }

    private let count: Int
    private let entries = Mutex<[Entry?]>([])

    /// - Parameter count: how many numbers the metric has.
    init(_ count: Int) { self.count = count }

    func put(_ entry: Entry, at index: Int) {
        _ = entries.withLockIfAvailable { entries in
            // Cannot trap: a metric's numbers never become more.
            if entries.isEmpty { entries = Array(repeating: nil, count: count) }
            if entries.indices.contains(index) { entries[index] = entry }
        }
    }

    /// The exemplar of each number, or nil; empty before the first exemplar.
    var all: [Entry?] { entries.withLock(\.self) }
}

extension [Exemplars.Entry?] {
    subscript(at index: Int) -> Exemplars.Entry? { indices.contains(index) ? self[index] : nil }
}
