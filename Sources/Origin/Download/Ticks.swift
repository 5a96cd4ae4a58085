// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// Moments and spans: microseconds of the monotonic clock.
typealias Ticks = Int64

extension Duration {
    var ticks: Ticks { wholeMicroseconds }
}
