// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Decides which traces are kept. A part of all traces is chosen at the start by their ID, so that services with the same rule
/// choose the same traces. Traces of slow or failed requests are kept in any case.
package struct SamplingRule: Sendable, Equatable {
    /// The part of all traces that is chosen, 0…1.
    package var ratio = 0.0
    /// A request that takes at least so many microseconds is slow; nil if no request counts as slow.
    package var slow: Int?
    /// True to keep each trace of a request that was answered with 500 or more.
    package var keepsFailed = true
    /// True to continue the trace in the client's `traceparent`, and to keep it if the client does.
    package var takesParent = false

    /// Keeps only the traces of failed requests.
    package init() {}

    /// Chooses as OpenTelemetry's TraceIdRatioBased does, by the last 56 bits, which are random (W3C Trace Context Level 2
    /// §3.2.2.5). The highest values are chosen (specification/trace/tracestate-probability-sampling.md, "Decision algorithm"),
    /// so the distance from the top of the range is compared.
    func chooses(_ trace: TraceID) -> Bool {
        Double(~trace.low & 0x00FF_FFFF_FFFF_FFFF) < ratio * Double(1 << 56)
    }

    /// True if a request with this status and duration is kept even if it was not chosen at the start.
    package func keeps(status: Int, microseconds: Int) -> Bool {
        keepsFailed && status >= 500 || (slow.map { microseconds >= $0 } ?? false)
    }
}

/// The rule in force. It is read several times for each request.
///
/// **Isolation:** atomics, read one after the other: while the rule changes, a trace may be judged by parts of both rules.
final class SharedRule: Sendable {
    private let ratio: Atomic<UInt64>
    /// `Int.max` if no request counts as slow.
    private let slow: Atomic<Int>
    private let keepsFailed: Atomic<Bool>
    private let takesParent: Atomic<Bool>

    init(_ rule: SamplingRule) {
        ratio = Atomic(rule.ratio.bitPattern)
        slow = Atomic(rule.slow ?? .max)
        keepsFailed = Atomic(rule.keepsFailed)
        takesParent = Atomic(rule.takesParent)
    }

    var rule: SamplingRule {
        var rule = SamplingRule()
        rule.ratio = Double(bitPattern: ratio.load(ordering: .relaxed))
        let slow = slow.load(ordering: .relaxed)
        rule.slow = slow == .max ? nil : slow
        rule.keepsFailed = keepsFailed.load(ordering: .relaxed)
        rule.takesParent = takesParent.load(ordering: .relaxed)
        return rule
    }

    func replace(with rule: SamplingRule) {
        ratio.store(rule.ratio.bitPattern, ordering: .relaxed)
        slow.store(rule.slow ?? .max, ordering: .relaxed)
        keepsFailed.store(rule.keepsFailed, ordering: .relaxed)
        takesParent.store(rule.takesParent, ordering: .relaxed)
    }
}
