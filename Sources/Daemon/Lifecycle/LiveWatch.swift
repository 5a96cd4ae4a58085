// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Platform

/// Samples the daemon each second, for the history and for event streams.
enum LiveWatch {
    static func start(_ live: LiveRoutes) -> Task<Void, Never> {
        Task(priority: .background) {
            while !Task.isCancelled {
                live.look()
                try? await Task.sleep(for: .microseconds(untilNext(SystemEnvironment.sinceBoot)))
            }
        }
    }

    /// Microseconds until the middle of the next second: far from its ends, so that a sample that is some milliseconds late
    /// neither skips a second nor falls into the same one twice.
    static func untilNext(_ time: Int64) -> Int64 { 1_500_000 - time % 1_000_000 }
}
