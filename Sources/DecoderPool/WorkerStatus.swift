// SPDX-License-Identifier: Apache-2.0

/// One worker process at one moment, for display.
package struct WorkerStatus<Job: WorkerJob>: Sendable {
    /// The state of the process in its cycle of jobs.
    package enum State: String, Sendable { case starting, ready, busy, ended }

    /// The process's place in the pool, from 0; the process in it is replaced now and then.
    package var number: Int
    package var state = State.starting
    /// The process id; nil while there is no process that answers.
    package var process: Int32?
    /// The job that the process has; nil if it is idle.
    package var job: Job?
    /// How long the process has had the job; nil if it has none.
    package var running: Duration?
    /// Resident bytes now; nil if they are not measured.
    package var resident: Int?

    init(number: Int) { self.number = number }
}
