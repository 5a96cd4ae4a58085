// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A Prometheus counter: one number that only grows for each combination of labels.
///
/// **Isolation:** any thread; every number is an atomic with relaxed ordering. A reader may see one number
/// newer than another, as a scrape does anyway.
package final class Counter<Labels: LabelSet>: Sendable {
    /// Name, kind, unit and help.
    package let row: MetricRow
    private let cells: Cells

    init(_ row: MetricRow) {
        self.row = row
        cells = Cells(Labels.count)
    }

    /// Adds to the count of one combination of labels.
    package func add(_ labels: Labels, _ amount: Int = 1) { cells.add(amount, at: labels.index) }

    /// The count of one combination of labels.
    package func value(_ labels: Labels) -> Int { cells.value(at: labels.index) }
}

extension Counter where Labels == NoLabels {
    /// Adds to the only count.
    package func add(_ amount: Int = 1) { cells.add(amount, at: 0) }

    /// The only count.
    package var value: Int { cells.value(at: 0) }
}

extension Counter: Instrument {
    func expose(to page: inout Exposition) {
        page.begin(row)
        for index in 0..<Labels.count {
            page.sample(row.name, Labels.pairs(at: index), "\(cells.value(at: index))")
        }
    }
}

/// An array of atomics in one allocation.
///
/// `@unchecked Sendable` because the pointer never changes after `init`, and its memory is atomic.
final class Cells: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int>>
    private let count: Int

    init(_ count: Int) {
        self.count = count
        cells = .allocate(capacity: count)
        for index in 0..<count { (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        cells.deinitialize(count: count)
        cells.deallocate()
    }

    func add(_ amount: Int, at index: Int) {
        // Cannot trap: labels are constants.
        precondition(index >= 0 && index < count, "a label set numbers its combinations without gaps")
        cells[index].wrappingAdd(amount, ordering: .relaxed)
    }

    func value(at index: Int) -> Int { cells[index].load(ordering: .relaxed) }
}
