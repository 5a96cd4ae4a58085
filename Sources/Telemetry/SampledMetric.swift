// SPDX-License-Identifier: Apache-2.0

/// A metric that is read when the page is made, with as many samples as there are at that moment.
package struct SampledMetric: Sendable {
    /// One line of the page.
    package struct Sample: Sendable {
        let label: String?
        let value: String
    }

    /// Name, kind, unit and help.
    package let row: MetricRow
    /// One sample for each value of the row's label; a single one if the row has no label.
    package let samples: [Sample]

    package init(_ row: MetricRow, _ samples: [Sample] = []) {
        self.row = row
        self.samples = samples
    }

    func expose(to page: inout Exposition) {
        page.begin(row)
        for sample in samples {
            let label = zip(row.labels, sample.label.map { [$0] } ?? [])
            page.sample(row.name, Array(label), sample.value)
        }
    }
}

extension SampledMetric.Sample {
    /// A whole number.
    package init(_ value: Int, of label: String? = nil) { self.init(label: label, value: "\(value)") }

    /// A fraction.
    package init(_ value: Double, of label: String? = nil) { self.init(label: label, value: "\(value)") }
}
