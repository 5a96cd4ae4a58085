// SPDX-License-Identifier: Apache-2.0

internal import HTTPServer
internal import Telemetry
internal import TraceExport

extension MetricTable {
    /// Rows of the listener and the requests under way.
    package static let server: [Row] = [
        .gauge("connections", "connections", "Client connections that are open.", \.connections.open),
        .counter(
            "connections_accepted", "connections",
            "Client connections accepted, including those that were closed at once.", \.connections.accepted),
        .counter(
            "connections_refused", "connections",
            "Client connections closed at once, because too many were open.",
            \.connections.turnedAway),
        .counter(
            "connections_limited", "connections",
            "Of the connections closed at once, those whose client had too many open.",
            \.connections.ofOneClient),
        .counter(
            "connections_unannounced", "connections",
            "Client connections closed for want of a PROXY protocol header from a trusted proxy.",
            \.connections.withoutProxyHeader),
        .counter(
            "refusals_held", "requests",
            "Answers 429 and 503 that were delayed, because there were too many in a second.",
            \.connections.heldRefusals),
        .gauge(
            "requests_in_flight", "requests", "Requests that wait for their answer.", \.requestsInFlight),
        .gauge(
            "work_in_flight", "pieces", "Pieces of work that one or more requests wait for.", by: "kind",
            ["original": \.originalsInFlight, "rendition": \.renditionsInFlight]),
    ]

    /// Rows of the two logs and of the traces.
    package static let log: [Row] = [
        .counter(
            "log_lines_dropped", "lines",
            "Lines of the log (stderr) and of the access log (stdout) that were dropped, because nobody took them.",
            by: "stream",
            ["stderr": \.logLinesDropped, "stdout": \.accessLinesDropped]),
        .counter(
            "trace_spans", "spans",
            "Spans by what became of them. exported: the collector took them; dropped: the queue had no room; failed: the collector did not take them.",
            by: "result",
            ["exported": \.spans.exported, "dropped": \.spans.dropped, "failed": \.spans.failed]),
    ]
}
