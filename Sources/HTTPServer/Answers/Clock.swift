// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import HTTPSemantics

/// Wall-clock and monotonic time, read through the vDSO (about 25 ns).
enum Clock {
    /// Microseconds since some fixed moment; never goes back.
    static func microseconds() -> Int64 { pictor_monotonic_microseconds() }

    static func now() -> Timestamp { Timestamp(milliseconds: pictor_wall_milliseconds()) }
}
