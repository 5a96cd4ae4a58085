// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The number of fetches that wait for permits. While it is above 0, transfers slower than `rate` are ended, the slowest first,
/// one for each waiting fetch.
///
/// **Isolation:** an atomic.
final class FetchPressure: Sendable {
    /// A fetch's rate is not judged in its first microseconds, so many; a healthy origin delivers the picture of a page within
    /// them.
    static let grace: Ticks = 2_000_000
    /// The fewest bytes per second, measured over the whole fetch. A picture of 100 KB in 3 s keeps its permit; 128 permits at
    /// this rate are 4 MiB/s.
    static let rate = 32 << 10
    /// Microseconds between two checks.
    static let interval: Ticks = 250_000

    private let waiting = Atomic<Int>(0)

    var count: Int { waiting.load(ordering: .relaxed) }

    /// Stores the number; true if it rose from 0.
    func set(_ count: Int) -> Bool { waiting.exchange(count, ordering: .relaxed) == 0 && count > 0 }
}
