// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Limits the lines of one kind per second, and counts those that are left out.
///
/// **Isolation:** a `Mutex` around the counts.
final class LogRateLimit: Sendable {
    private struct Second {
        var number: Int64 = 0
        var lines = 0
        var leftOut = 0
    }

    private let linesPerSecond: Int
    private let second = Mutex(Second())

    init(linesPerSecond: Int) { self.linesPerSecond = linesPerSecond }

    /// Admits a line: returns how many lines were left out before it, or nil if this second has had its lines already.
    /// - Parameter now: seconds since 1970.
    func admit(_ now: Int64) -> Int? {
        second.withLock { second in
            if second.number != now { second = Second(number: now, leftOut: second.leftOut) }
            guard second.lines < linesPerSecond else {
                second.leftOut += 1
                return nil
            }
            second.lines += 1
            return exchange(&second.leftOut, with: 0)
        }
    }
}
