// SPDX-License-Identifier: Apache-2.0

/// A metric whose number another module keeps: its row, and the closure that reads the number when the page is made.
///
/// `Source` is the value with all numbers, made once for each page.
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
    /// True if the numbers are in microseconds and the page shows seconds.
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
    /// A number that can rise and fall.
    package static func gauge(
        _ name: String, _ unit: String, _ help: String, _ read: @escaping Reading
    ) -> ObservedMetric {
        ObservedMetric(.gauge, name, unit, help, read)
    }

    /// A number that can rise and fall, for each value of a label.
    package static func gauge(
        _ name: String, _ unit: String, _ help: String, by label: String,
        _ readings: KeyValuePairs<String, Reading>
    ) -> ObservedMetric {
        ObservedMetric(.gauge, name, unit, help, by: label, readings)
    }

    /// A number that only grows.
    package static func counter(
        _ name: String, _ unit: String, _ help: String, _ read: @escaping Reading
    ) -> ObservedMetric {
        ObservedMetric(.counter, name, unit, help, read)
    }

    /// A number that only grows, for each value of a label.
    package static func counter(
        _ name: String, _ unit: String, _ help: String, by label: String,
        _ readings: KeyValuePairs<String, Reading>
    ) -> ObservedMetric {
        ObservedMetric(.counter, name, unit, help, by: label, readings)
    }

    /// A total time that only grows; it is read in microseconds and shown in seconds.
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
