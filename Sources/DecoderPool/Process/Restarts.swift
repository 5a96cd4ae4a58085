// SPDX-License-Identifier: Apache-2.0

/// How long to wait before another process is started in the place of one that did no job.
///
/// The first replacement comes at once, because one kill must be healed before the next job. A process that never
/// sends its handshake, or dies idle again and again, would otherwise keep a core busy with starting: from the second time on
/// the pause doubles from 100 ms to 10 s.
struct Restarts {
    private var failures = 0

    /// A process has taken a job: jobs bound the rate of what comes after it.
    mutating func recordSuccess() { failures = 0 }

    /// A process ended without ever having taken a job.
    ///
    /// - Returns: the pause before the next start.
    mutating func pauseAfterFailure() -> Duration {
        failures += 1
        guard failures > 1 else { return .zero }
        return min(.milliseconds(100 << min(failures - 2, 10)), .seconds(10))
    }
}
