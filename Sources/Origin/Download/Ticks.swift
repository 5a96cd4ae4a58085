// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A moment or a time span in microseconds of the monotonic clock.
typealias Ticks = Int64

extension Duration {
    var ticks: Ticks { wholeMicroseconds }
}
