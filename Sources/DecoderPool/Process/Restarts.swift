// SPDX-License-Identifier: Apache-2.0

/// The pause before a process that did no job is replaced.
///
/// The first replacement starts at once, so that the next job finds a process after a single kill. From the second time on
/// the pause doubles from 100 ms to 10 s. Otherwise processes that never send a handshake, or die idle again and again, would
/// keep a core busy with starting.
struct Restarts {
    private var failures = 0

    /// Records that a process has taken a job. From then on the jobs limit the rate of replacements.
    mutating func recordSuccess() { failures = 0 }

    /// Records that a process ended without ever having taken a job.
    ///
    /// - Returns: the pause before the next start.
    mutating func pauseAfterFailure() -> Duration {
        failures += 1
        guard failures > 1 else { return .zero }
        return min(.milliseconds(100 << min(failures - 2, 10)), .seconds(10))
    }
}
