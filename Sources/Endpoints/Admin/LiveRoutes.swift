// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Kernel
package import Monitoring
internal import Platform
internal import RequestGrammar

/// The routes that show the daemon at work: now, second by second, and in the past.
package struct LiveRoutes: Sendable {
    /// Samples the daemon each second.
    package let monitor: LiveMonitor
    let facts: LiveReport.Facts
    /// The maintenance tasks, whose progress is in each report.
    package let maintenance: Maintenance

    /// - Parameter facts: what does not change while the daemon runs.
    package init(monitor: LiveMonitor, facts: LiveReport.Facts, maintenance: Maintenance) {
        self.monitor = monitor
        self.facts = facts
        self.maintenance = maintenance
    }

    /// The present state, the stream of events, and the history.
    package var routes: [AdminRoute] {
        [
            .get("/admin/live") { _, _ in .json(report(number: 0)) },
            .get("/admin/events") { _, _ in events() },
            .get("/admin/history") { _, query in history(query) },
        ]
    }

    /// Must be called each second.
    package func look() {
        monitor.look(at: Self.second) { number in
            let report = ControlJSON.text(report(number: number))
            return ImmutableBytes("id: \(number)\nevent: live\ndata: \(report)\n\n".utf8)
        }
    }

    /// The second of a clock that never goes back, and that runs on while the machine sleeps, so that past values keep their time.
    package static var second: Int { Int(SystemEnvironment.sinceBoot / 1_000_000) }

    private func report(number: UInt64) -> LiveReport {
        LiveReport(monitor, facts, maintenance: maintenance, number: number, second: Self.second)
    }

    /// Server-sent events (HTML, §9.2), one a second.
    private func events() -> Response {
        guard let reader = monitor.broadcast.reader() else {
            return ErrorResponse(
                .tooManyStreams, "Too many event streams are open; try again later.", retryAfter: 10
            )
            .response()
        }
        var fields = Fields()
        fields.append("Content-Type", "text/event-stream; charset=utf-8")
        fields.append("Cache-Control", "no-store")
        fields.append("X-Content-Type-Options", "nosniff")
        // Without it, nginx would hold the events back until its buffer is full.
        fields.append("X-Accel-Buffering", "no")
        return Response(
            status: 200, fields: fields, stream: StreamedBody(isEndless: true) { await reader.next() })
    }

    private func history(_ query: [UInt8]) -> Response {
        do throws(AdminQuery.Mistake) {
            let query = try HistoryQuery(query)
            let now = Int(SystemEnvironment.now().milliseconds / 1_000)
            return .json(HistoryReport(monitor.history, query.range, names: query.names, end: now))
        } catch {
            return ErrorResponse(.badParameter, error.description).response()
        }
    }
}

/// The query of `GET /admin/history`: `range` and `series`, each at most once.
struct HistoryQuery {
    var range = History.Range.minutes
    /// The names of the series; nil for all.
    var names: Set<HistorySeries>?

    init(_ query: [UInt8]) throws(AdminQuery.Mistake) {
        try AdminQuery.read(query, known: "range, series") { (name, value) throws(AdminQuery.Mistake) in
            switch name {
            case "range": range = try Self.range(value)
            case "series": names = try Self.names(value)
            default: return false
            }
            return true
        }
    }

    private static func range(_ text: String) throws(AdminQuery.Mistake) -> History.Range {
        if let range = History.Range(rawValue: text) { return range }
        let allowed = History.Range.allCases.map(\.rawValue).joined(separator: ", ")
        throw AdminQuery.Mistake(
            description: RequestError.invalidValue(parameter: "range", allowed: allowed).message)
    }

    private static func names(_ text: String) throws(AdminQuery.Mistake) -> Set<HistorySeries> {
        var names: Set<HistorySeries> = []
        for name in text.split(separator: ",") {
            guard let series = HistorySeries.allCases.first(where: { $0.name == name }) else {
                throw AdminQuery.Mistake(description: "There is no series \"\(name.prefix(40))\".")
            }
            names.insert(series)
        }
        return names
    }
}
