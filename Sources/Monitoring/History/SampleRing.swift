// SPDX-License-Identifier: Apache-2.0

/// The last samples of one resolution: a ring of fixed size, indexed by the number of the step.
struct SampleRing {
    let capacity: Int
    private static let width = HistorySeries.allCases.count
    private var values: [Float]
    /// The step of the newest sample, and of the oldest that the ring still has.
    private(set) var newest: Int?
    private var first = 0

    init(capacity: Int) {
        self.capacity = capacity
        // Cannot trap: the factors are constants.
        values = Array(repeating: .nan, count: capacity * Self.width)
    }

    /// Bytes that the ring occupies.
    var bytes: Int { values.count * MemoryLayout<Float>.size }

    /// Steps that were missed, for example while the machine slept, have no values. A step that already has a sample keeps it.
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
        // Cannot trap: `capacity` is not 0.
        let start = step % capacity * Self.width
        for (index, value) in sample.floats.enumerated() { values[start + index] = value }
    }

    /// The values of a series, the newest last; nil for a step without a value.
    func values(of series: HistorySeries, last count: Int) -> [Float?] {
        guard let newest else { return [] }
        return (max(first, newest - count + 1)...newest).map { step in
            // Cannot trap: as above.
            let value = values[step % capacity * Self.width + series.rawValue]
            return value.isNaN ? nil : value
        }
    }
}
