// SPDX-License-Identifier: Apache-2.0

package import Tracing

/// A span that is ready to be exported.
package struct FinishedSpan: Sendable {
    /// The name of the work, such as `original`; one of few names.
    package var name: String
    /// Whether the span is on the server's or the client's side of an exchange, or internal.
    package var kind: SpanKind
    /// The trace and the ID of the span.
    package var place: TracePlace
    /// The parent's ID; nil for the first span of a trace.
    package var parent: SpanID?
    /// True if the parent is a span of another service.
    package var isParentRemote: Bool
    /// Nanoseconds since 1970.
    package var start: UInt64
    /// Nanoseconds since 1970; not before `start`.
    package var end: UInt64
    /// The span's attributes.
    package var attributes: SpanAttributes
    /// Events during the span.
    package var events: [SpanEvent]
    /// Places in other traces to which the span is related.
    package var links: [TracePlace]
    /// Nil if no status was set.
    package var status: SpanStatus?
}
