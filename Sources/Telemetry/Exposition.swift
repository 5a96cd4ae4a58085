// SPDX-License-Identifier: Apache-2.0

/// A page of metrics, written line by line.
package struct Exposition: Sendable {
    /// A format that a scraper may ask for.
    package enum Format: Sendable, CaseIterable {
        /// Prometheus' text format 0.0.4:
        /// https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
        case classic
        /// OpenMetrics 1.0, where a counter's family has a name without `_total`, and a page ends with `# EOF`:
        /// https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md
        case openMetrics

        /// The `Content-Type` of the page.
        package var mediaType: String {
            switch self {
            case .classic: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    private let format: Format
    private(set) var text = ""

    init(_ format: Format) { self.format = format }

    /// Begins a metric. All its samples must follow.
    mutating func begin(_ row: MetricRow) {
        switch format {
        case .classic:
            text += "# HELP \(row.name) \(Self.escaped(row.help, quotes: false))\n"
            text += "# TYPE \(row.name) \(row.kind.classic)\n"
        case .openMetrics:
            text += "# TYPE \(row.family) \(row.kind.rawValue)\n"
            if let unit = row.baseUnit { text += "# UNIT \(row.family) \(unit)\n" }
            text += "# HELP \(row.family) \(Self.escaped(row.help, quotes: true))\n"
        }
    }

    mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
        text += "\(name)\(labels.isEmpty ? "" : Self.set(labels)) \(value)\n"
    }

    /// Appends an exemplar to the sample that was written last.
    /// - Parameter value: the value that the event added.
    mutating func add(_ exemplar: Exemplar, _ value: String) {
        guard format == .openMetrics else { return }
        // Cannot trap: `text` ends with the line feed of that sample.
        text.removeLast()
        text += " # \(Self.set(exemplar.labels)) \(value) \(exemplar.seconds)\n"
    }

    /// Ends the page, so that a scraper can tell a complete page from a truncated one.
    mutating func end() {
        if format == .openMetrics { text += "# EOF\n" }
    }

    /// A bucket's bound in seconds, spelled as Prometheus's own libraries spell it in this format, because the text of `le`
    /// identifies the series.
    func bound(microseconds: Int) -> String {
        let text = "\(Double(microseconds) / 1_000_000)"
        return format == .classic && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// Microseconds as seconds, in exact decimal: 2500 → "0.0025".
    static func seconds(_ microseconds: Int) -> String {
        let (whole, fraction) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        if fraction == 0 { return "\(whole)" }
        let digits = String(String(1_000_000 + fraction).dropFirst())
        return "\(whole)." + digits.reversed().drop { $0 == "0" }.reversed()
    }

    private static func set(_ labels: [(String, String)]) -> String {
        "{\(labels.map { "\($0)=\"\(escaped($1, quotes: true))\"" }.joined(separator: ","))}"
    }

    /// Escapes backslash and line feed; also quotation marks, if `quotes`: in label values, and in OpenMetrics everywhere.
    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
