// SPDX-License-Identifier: Apache-2.0

/// The refusals by their stable codes.
///
/// **Isolation:** any thread; as `Counter`.
package final class RefusalCounter: Sendable {
    let row = MetricRow(
        .counter, "refusals", "requests", "Requests refused, by the code of the refusal.", labels: ["code"])
    private let codes: [String]
    private let cells: Cells

    init(codes: [String]) {
        self.codes = codes
        cells = Cells(codes.count)
    }

    /// - Parameter index: the code's, among those that it was made with; another one is not counted.
    package func add(at index: Int) {
        if codes.indices.contains(index) { cells.add(1, at: index) }
    }
}

extension RefusalCounter: Instrument {
    func expose(to page: inout Exposition) {
        page.begin(row)
        for (index, code) in codes.enumerated() {
            page.sample(row.name, [("code", code)], "\(cells.value(at: index))")
        }
    }
}
