// SPDX-License-Identifier: Apache-2.0

/// Something that has a row and knows its numbers.
protocol Instrument: Sendable {
    var row: MetricRow { get }
    func expose(to page: inout Exposition)
}

/// Instruments in the order of the page. What makes an instrument lists it here as well, so none is left out of the
/// page, and none stands there twice.
struct InstrumentList {
    private(set) var all: [any Instrument] = []

    mutating func counter<Labels>(_ name: String, _ unit: String, _ help: String) -> Counter<Labels> {
        add(Counter(MetricRow(.counter, name, unit, help, labels: Labels.names)))
    }

    /// - Parameter bounds: upper bounds of the buckets in microseconds, rising.
    mutating func histogram<Labels>(
        _ name: String, _ unit: String, _ help: String, bounds: [Int]
    ) -> Histogram<Labels> {
        add(Histogram(MetricRow(.histogram, name, unit, help, labels: Labels.names), bounds: bounds))
    }

    @discardableResult
    mutating func add<Kind: Instrument>(_ instrument: Kind) -> Kind {
        all.append(instrument)
        return instrument
    }
}
