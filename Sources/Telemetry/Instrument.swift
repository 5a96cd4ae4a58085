// SPDX-License-Identifier: Apache-2.0

/// A metric that holds its own numbers.
protocol Instrument: Sendable {
    var row: MetricRow { get }
    func expose(to page: inout Exposition)
}

/// The instruments in the order of the page. Each method that makes an instrument also adds it here, so the page has each exactly
/// once.
struct InstrumentList {
    private(set) var all: [any Instrument] = []

    mutating func counter<Labels>(_ name: String, _ unit: String, _ help: String) -> Counter<Labels> {
        let row = MetricRow(
            .counter, name, unit, help, labels: Labels.names, values: Labels.valuesByName,
            series: Labels.count)
        return add(Counter(row))
    }

    /// - Parameter bounds: upper bounds of the buckets in microseconds, ascending.
    mutating func histogram<Labels>(
        _ name: String, _ unit: String, _ help: String, bounds: [Int]
    ) -> Histogram<Labels> {
        // Series: the buckets, the bucket without a bound, the sum and the count.
        let row = MetricRow(
            .histogram, name, unit, help, labels: Labels.names, values: Labels.valuesByName,
            series: Labels.count * (bounds.count + 3))
        return add(Histogram(row, bounds: bounds))
    }

    @discardableResult
    mutating func add<Kind: Instrument>(_ instrument: Kind) -> Kind {
        all.append(instrument)
        return instrument
    }
}
