// SPDX-License-Identifier: Apache-2.0

/// A moment of wall-clock time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Freshness is kept on disk and must survive a restart, so it is reckoned in wall-clock time; deadlines
/// inside the process use a monotonic clock instead.
package struct Timestamp: Sendable, Hashable, Comparable {
    package var milliseconds: Int64

    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    package init(seconds: Int64) { self.milliseconds = seconds * 1000 }

    /// Whole seconds since the epoch, rounded down.
    package var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    package func adding(seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + seconds * 1000)
    }
}
