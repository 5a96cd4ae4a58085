// SPDX-License-Identifier: Apache-2.0

/// A mean over about the last eight numbers; 0 where there was none yet.
struct MovingMean {
    private(set) var value: Int64 = 0

    mutating func add(_ sample: Int64) { value += (sample - value) / (value == 0 ? 1 : 8) }
}
