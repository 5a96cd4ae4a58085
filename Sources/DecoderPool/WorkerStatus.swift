// SPDX-License-Identifier: Apache-2.0

/// One worker process at one moment, for people who look.
package struct WorkerStatus<Job: WorkerJob>: Sendable {
    /// Where the process is between two jobs.
    package enum State: String, Sendable { case starting, ready, busy, ended }

    /// The place in the pool, from 0; the process in it is replaced now and then.
    package var number: Int
    package var state = State.starting
    /// Process id; nil while there is none that answers.
    package var process: Int32?
    /// The job that it has; nil if it is idle.
    package var job: Job?
    /// For how long it has had the job; nil before a process has it.
    package var running: Duration?
    /// Bytes that are resident now; nil where they are not measured.
    package var resident: Int?

    init(number: Int) { self.number = number }
}
