// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline

/// A job of the admission queue, told apart by its number. Times are microseconds.
func job(
    _ number: UInt64, _ priority: Priority = .interactive, group: String = "", cost: Int = 0,
    taking expected: Int64 = 0, at time: Int64 = 0
) -> AdmissionQueue.Job {
    AdmissionQueue.Job(
        number: number, group: group, cost: cost, time: expected, priority: priority, arrived: time)
}
