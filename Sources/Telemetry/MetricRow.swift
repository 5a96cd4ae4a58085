// SPDX-License-Identifier: Apache-2.0

/// The declaration of a metric, for the page and for the documentation.
package struct MetricRow: Sendable, Hashable {
    /// The kinds of OpenMetrics that occur here.
    package enum Kind: String, Sendable, Hashable {
        case counter, gauge, histogram
        /// A metric that is always 1; its labels carry the information.
        case info

        /// The kind in Prometheus' text format.
        var classic: String { self == .info ? Kind.gauge.rawValue : rawValue }
    }

    /// The full name on the page.
    package let name: String
    package let kind: Kind
    /// The unit: "seconds", "bytes", or the thing that is counted.
    package let unit: String
    /// A sentence for people.
    package let help: String
    /// Names of the labels, in order.
    package let labels: [String]
    /// The values of each label; empty for a label that can have any value.
    let values: [[String]]
    /// The most series of this metric on a page.
    package let series: Int

    /// - Parameter name: the name without the prefix `pictor_`, and without the suffix of a counter (`_total`) or an info
    ///   (`_info`).
    package init(
        _ kind: Kind, _ name: String, _ unit: String, _ help: String, labels: [String] = [],
        values: [[String]] = [], series: Int = 1
    ) {
        self.init(kind, prefix: "pictor_", name, unit, help, labels: labels, values: values, series: series)
    }

    /// A metric that programs of all kinds have, with the usual prefix `process_`.
    package init(ofProcess kind: Kind, _ name: String, _ unit: String, _ help: String) {
        self.init(kind, prefix: "process_", name, unit, help, labels: [], values: [], series: 1)
    }

    private init(
        _ kind: Kind, prefix: String, _ name: String, _ unit: String, _ help: String, labels: [String],
        values: [[String]], series: Int
    ) {
        self.name = prefix + name + Self.suffix(of: kind)
        self.kind = kind
        self.unit = unit
        self.help = help
        self.labels = labels
        self.values = values
        self.series = series
    }

    private static func suffix(of kind: Kind) -> String {
        switch kind {
        case .counter: "_total"
        case .info: "_info"
        case .gauge, .histogram: ""
        }
    }

    /// The name of the metric family in OpenMetrics.
    var family: String { String(name.dropLast(Self.suffix(of: kind).count)) }

    /// The unit in OpenMetrics' sense, with which the family's name ends; nil for a metric that counts things.
    var baseUnit: String? {
        ["bytes", "ratio", "seconds"].first { $0 == unit && family.hasSuffix("_\($0)") }
    }

    /// The table for docs/reference/metrics.md, and the sum of the series.
    package static func markdown(_ rows: [MetricRow]) -> String {
        let head = "| metric | kind | unit | labels | series | meaning |\n|---|---|---|---|---|---|\n"
        let sum = rows.reduce(0) { $0 + $1.series }
        return rows.reduce(into: head) { text, row in
            let labels = row.labels.isEmpty ? "–" : row.labels.map { "`\($0)`" }.joined(separator: " ")
            text +=
                "| `\(row.name)` | \(row.kind.rawValue) | \(row.unit) | \(labels) | \(row.series) | \(row.help) |\n"
        } + "\nOne page has at most \(sum) series.\n"
    }

    /// The table of labels and their values, in the order of the metrics. One label can have different values in different
    /// metrics.
    package static func labelsMarkdown(_ rows: [MetricRow]) -> String {
        var lines: [(words: String, metrics: [String])] = []
        for row in rows {
            for (label, values) in zip(row.labels, row.values) where !values.isEmpty {
                let words = "| `\(label)` | \(values.map { "`\($0)`" }.joined(separator: " ")) |"
                if let index = lines.firstIndex(where: { $0.words == words }) {
                    lines[index].metrics.append(row.name)
                } else {
                    lines.append((words, [row.name]))
                }
            }
        }
        return lines.reduce(into: "| label | values | of |\n|---|---|---|\n") { text, line in
            text += "\(line.words) \(line.metrics.map { "`\($0)`" }.joined(separator: " ")) |\n"
        }
    }
}
