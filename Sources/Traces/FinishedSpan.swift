// SPDX-License-Identifier: Apache-2.0

package import Tracing

/// A span as it is exported.
package struct FinishedSpan: Sendable {
    /// The name of the work; low in number, such as `original`.
    package var name: String
    /// The side of an exchange on which it is.
    package var kind: SpanKind
    /// The span's own place.
    package var place: TracePlace
    /// Nil for a trace's first.
    package var parent: SpanID?
    /// True if the parent is another service's.
    package var isParentRemote: Bool
    /// Nanoseconds since 1970.
    package var start: UInt64
    /// Nanoseconds since 1970; not before `start`.
    package var end: UInt64
    /// The span's attributes.
    package var attributes: SpanAttributes
    /// Moments within it.
    package var events: [SpanEvent]
    /// Places in other traces that it has to do with.
    package var links: [TracePlace]
    /// Nil where nobody judged.
    package var status: SpanStatus?
}
