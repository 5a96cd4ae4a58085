// SPDX-License-Identifier: Apache-2.0

/// Moments and spans: microseconds of the monotonic clock.
typealias Ticks = Int64

extension Duration {
    var ticks: Ticks { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
