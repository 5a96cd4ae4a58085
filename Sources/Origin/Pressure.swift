// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// How many fetches wait for slots that others hold. As long as there are any, a transfer must be quicker than usual to keep
/// its slot, and of those that are not, the slowest are ended first, one for each that waits.
///
/// **Isolation:** an atomic.
final class Pressure: Sendable {
    /// Microseconds of a fetch before it is judged: whoever answers with a picture of a page does so by then.
    static let grace: Ticks = 2_000_000
    /// Bytes a second over the whole fetch. A picture of 100 KB in 3 s keeps its slot; 128 slots at this rate are 4 MiB/s.
    static let rate = 32 << 10
    /// Microseconds between two looks.
    static let interval: Ticks = 250_000

    private let waiting = Atomic<Int>(0)

    var count: Int { waiting.load(ordering: .relaxed) }

    /// True: there was nobody before, and there is now.
    func set(_ count: Int) -> Bool { waiting.exchange(count, ordering: .relaxed) == 0 && count > 0 }
}
