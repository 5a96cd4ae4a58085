// SPDX-License-Identifier: Apache-2.0

/// Counts refusals by their stable codes.
package final class RefusalCounter: Sendable {
    let row: MetricRow
    private let codes: [String]
    private let cells: Cells
    private let exemplars: Exemplars

    init(codes: [String]) {
        row = MetricRow(
            .counter, "refusals", "requests", "Requests refused, by the code of the refusal.",
            labels: ["code"],
            series: codes.count)
        self.codes = codes
        cells = Cells(codes.count)
        exemplars = Exemplars(codes.count)
    }

    /// - Parameter index: the code's index in `codes`; any other index is ignored.
    package func add(at index: Int) {
        if codes.indices.contains(index) { cells.add(1, at: index) }
    }

    /// Sets the exemplar of the refusals with this code.
    package func show(_ exemplar: Exemplar, at index: Int) {
        exemplars.put(Exemplars.Entry(exemplar: exemplar, amount: 1), at: index)
    }
}

extension RefusalCounter: Instrument {
    func expose(to page: inout Exposition) {
        page.begin(row)
        let shown = exemplars.all
        for (index, code) in codes.enumerated() {
            page.sample(row.name, [("code", code)], "\(cells.value(at: index))")
            if let entry = shown[at: index] { page.add(entry.exemplar, "\(entry.amount)") }
        }
    }
}
