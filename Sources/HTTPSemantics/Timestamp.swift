// SPDX-License-Identifier: Apache-2.0

/// A moment of wall-clock time: milliseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Freshness is stored on disk and must survive a restart, so it uses wall-clock time; deadlines inside the process use a monotonic
/// clock.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970; negative before.
    package var milliseconds: Int64

    /// Milliseconds since 1970.
    package init(milliseconds: Int64) { self.milliseconds = milliseconds }
    /// Whole seconds since 1970.
    package init(seconds: Int64) { self.milliseconds = seconds * 1000 }

    /// Whole seconds since the epoch, rounded down.
    package var seconds: Int64 { milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0) }

    /// False before 1990: a clock that shows less has not been set since its machine was turned on.
    package var isOfSetClock: Bool { milliseconds >= 631_152_000_000 }

    /// The range of moments that HTTP and RFC 3339 can write: 0000-01-01T00:00:00Z to 9999-12-31T23:59:59.999Z.
    package static var fourDigitYears: ClosedRange<Timestamp> {
        Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)
    }

    /// The moment, clamped to the years 0 to 9999.
    package var withFourDigitYear: Timestamp {
        min(max(self, Self.fourDigitYears.lowerBound), Self.fourDigitYears.upperBound)
    }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    /// The moment this many seconds later; earlier for a negative number.
    package func adding(seconds: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + seconds * 1000)
    }
}
