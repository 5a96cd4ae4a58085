// SPDX-License-Identifier: Apache-2.0

/// What the table of metrics says of one of them.
package struct MetricRow: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable { case counter, gauge, histogram }

    package var name: String
    package var kind: Kind
    /// What one is: "seconds", "bytes", or the thing that is counted.
    package var unit: String
    /// A sentence, for people.
    package var help: String
    /// Names of labels.
    package var labels: [String] = []

    init(_ name: String, _ kind: Kind, _ unit: String, _ help: String, labels: [String] = []) {
        self.name = name
        self.kind = kind
        self.unit = unit
        self.help = help
        self.labels = labels
    }

    func labelled(_ labels: [String]) -> MetricRow {
        var row = self
        row.labels = labels
        return row
    }
}

/// Something that has a row and knows its numbers.
protocol Instrument: Sendable {
    var row: MetricRow { get }
    func expose(to page: inout Exposition)
}
