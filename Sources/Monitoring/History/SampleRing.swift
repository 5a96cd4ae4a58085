// SPDX-License-Identifier: Apache-2.0

/// The last samples of one resolution: a fixed number of places, each known by its step since the start.
struct SampleRing {
    let capacity: Int
    private static let width = HistorySeries.allCases.count
    private var values: [Float]
    /// The step of the newest sample, and of the oldest that is still here.
    private(set) var newest: Int?
    private var first = 0

    init(capacity: Int) {
        self.capacity = capacity
        // Cannot trap: constants.
        values = Array(repeating: .nan, count: capacity * Self.width)
    }

    /// Bytes of all places.
    var bytes: Int { values.count * MemoryLayout<Float>.size }

    /// Steps that were missed, as on a machine that slept, have no values. A step that has a sample keeps it.
    mutating func append(_ sample: HistorySample, at step: Int) {
        if let newest {
            guard step > newest else { return }
            for missed in max(newest + 1, step - capacity + 1)..<step { set(HistorySample(), at: missed) }
        } else {
            first = step
        }
        set(sample, at: step)
        newest = step
        first = max(first, step - capacity + 1)
    }

    private mutating func set(_ sample: HistorySample, at step: Int) {
        // Cannot trap: it has a capacity.
        let start = step % capacity * Self.width
        for (index, value) in sample.floats.enumerated() { values[start + index] = value }
    }

    /// The values of a series, the newest last; nil where there is none.
    func values(of series: HistorySeries, last count: Int) -> [Float?] {
        guard let newest else { return [] }
        return (max(first, newest - count + 1)...newest).map { step in
            // Cannot trap: as above.
            let value = values[step % capacity * Self.width + series.rawValue]
            return value.isNaN ? nil : value
        }
    }
}
