// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import HTTPSemantics

/// The two clocks, read through the vDSO (about 25 ns).
enum Clock {
    /// Since some fixed moment; never goes back.
    static func microseconds() -> Int64 {
        let time = read(CLOCK_MONOTONIC)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    }

    static func now() -> Timestamp {
        let time = read(CLOCK_REALTIME)
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        clock_gettime(clock, &time)
        return time
    }
}
