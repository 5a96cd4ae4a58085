// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Which traces are kept. Part of them is chosen at the start, by their name, so that services which share the rule
/// choose the same; those that turn out slow or failed are kept in any case.
package struct SamplingRule: Sendable, Equatable {
    /// The part of all traces that is kept, 0…1.
    package var ratio = 0.0
    /// Microseconds from which a request is slow; nil = none is.
    package var slow: Int?
    /// True to keep each trace of a request that was answered with 500 or more.
    package var keepsFailed = true
    /// True to go on with the trace of `traceparent`, and to keep it if the client keeps it.
    package var takesParent = false

    /// Keeps failed ones alone.
    package init() {}

    /// As OpenTelemetry's TraceIdRatioBased: by the last 56 bits, which are random (W3C Trace Context Level 2 §3.2.2.5). Those
    /// whose bits are the highest are chosen (specification/trace/tracestate-probability-sampling.md, "Decision algorithm"), so
    /// what is left of the range above them decides.
    func chooses(_ trace: TraceID) -> Bool {
        Double(~trace.low & 0x00FF_FFFF_FFFF_FFFF) < ratio * Double(1 << 56)
    }

    /// True if a request that took so long, and was answered so, is kept without having been chosen.
    package func keeps(status: Int, microseconds: Int) -> Bool {
        keepsFailed && status >= 500 || (slow.map { microseconds >= $0 } ?? false)
    }
}

/// The rule in force, read several times for each request.
///
/// **Isolation:** atomics, read one after the other: a trace that meets a change may be judged by parts of both rules.
final class SharedRule: Sendable {
    private let ratio: Atomic<UInt64>
    /// `Int.max` for none.
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
