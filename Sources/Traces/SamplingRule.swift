// SPDX-License-Identifier: Apache-2.0

/// Which traces are kept. Part of them is chosen at the start, by their name, so that services which share the rule
/// choose the same; those that turn out slow or failed are kept in any case.
package struct SamplingRule: Sendable, Equatable {
    /// Of all traces, 0…1.
    package var ratio = 0.0
    /// Microseconds from which a request is slow; nil = none is.
    package var slow: Int?
    /// True to keep each trace of a request that was answered with 500 or more.
    package var keepsFailed = true
    /// True to go on with the trace of `traceparent`, and to keep it if the client keeps it.
    package var takesParent = false

    /// Keeps failed ones alone.
    package init() {}

    /// As OpenTelemetry's TraceIdRatioBased: by the last 56 bits, which are random (W3C Trace Context Level 2 §3.2.2.5).
    func chooses(_ trace: TraceID) -> Bool {
        Double(trace.low & 0x00FF_FFFF_FFFF_FFFF) < ratio * Double(1 << 56)
    }

    /// True if a request that took so long, and was answered so, is kept without having been chosen.
    package func keeps(status: Int, microseconds: Int) -> Bool {
        keepsFailed && status >= 500 || (slow.map { microseconds >= $0 } ?? false)
    }
}
