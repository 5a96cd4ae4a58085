// SPDX-License-Identifier: Apache-2.0

/// A metric whose number another module keeps: its row, and how the number is read when the page is made.
///
/// `Source` holds the numbers: one value, made for each page.
package struct ObservedMetric<Source>: Sendable {
    /// Reads one number.
    package typealias Reading = @Sendable (Source) -> Int

    private struct Sample: Sendable {
        let labels: [(String, String)]
        let read: Reading
    }

    /// Name, kind, unit and help.
    package let row: MetricRow
    private let samples: [Sample]
    /// True for numbers in microseconds that the page has in seconds.
    private let isTime: Bool

    private init(
        _ kind: MetricRow.Kind, _ name: String, _ unit: String, _ help: String, isTime: Bool = false,
        _ read: @escaping Reading
    ) {
        row = MetricRow(kind, name, unit, help)
        samples = [Sample(labels: [], read: read)]
        self.isTime = isTime
    }

    private init(
        _ kind: MetricRow.Kind, _ name: String, _ unit: String, _ help: String, by label: String,
        _ readings: KeyValuePairs<String, Reading>
    ) {
        row = MetricRow(
            kind, name, unit, help, labels: [label], values: [readings.map(\.key)], series: readings.count)
        samples = readings.map { Sample(labels: [(label, $0.key)], read: $0.value) }
        isTime = false
    }
}

extension ObservedMetric {
    /// A number that rises and falls.
    package static func gauge(
        _ name: String, _ unit: String, _ help: String, _ read: @escaping Reading
    ) -> ObservedMetric {
        ObservedMetric(.gauge, name, unit, help, read)
    }

    /// A number that rises and falls, for each value of a label.
    package static func gauge(
        _ name: String, _ unit: String, _ help: String, by label: String,
        _ readings: KeyValuePairs<String, Reading>
    ) -> ObservedMetric {
        ObservedMetric(.gauge, name, unit, help, by: label, readings)
    }

    /// A number that only rises.
    package static func counter(
        _ name: String, _ unit: String, _ help: String, _ read: @escaping Reading
    ) -> ObservedMetric {
        ObservedMetric(.counter, name, unit, help, read)
    }

    /// A number that only rises, for each value of a label.
    package static func counter(
        _ name: String, _ unit: String, _ help: String, by label: String,
        _ readings: KeyValuePairs<String, Reading>
    ) -> ObservedMetric {
        ObservedMetric(.counter, name, unit, help, by: label, readings)
    }

    /// A time that only grows, read in microseconds; its unit is seconds.
    package static func time(
        _ name: String, _ help: String, microseconds read: @escaping Reading
    ) -> ObservedMetric {
        ObservedMetric(.counter, name, "seconds", help, isTime: true, read)
    }

    func expose(_ source: Source, to page: inout Exposition) {
        page.begin(row)
        for sample in samples {
            let number = sample.read(source)
            page.sample(row.name, sample.labels, isTime ? Exposition.seconds(number) : "\(number)")
        }
    }
}
