// SPDX-License-Identifier: Apache-2.0

/// An exponential moving average over about the last eight samples; 0 before the first.
struct MovingMean {
    private(set) var value: Int64 = 0

    mutating func add(_ sample: Int64) { value += (sample - value) / (value == 0 ? 1 : 8) }
}
