// SPDX-License-Identifier: Apache-2.0

package import Kernel
package import Stores
internal import Synchronization

/// A long task on the disk cache, started by an operator.
package enum MaintenanceTask: String, Sendable, Codable, CaseIterable { case verify, gc }

/// The progress of a maintenance task; the answer of `POST` and `GET` of `/admin/verify` and `/admin/gc`.
package struct MaintenanceReport: Sendable, Codable {
    /// `idle` if the task has not run since the daemon started.
    package enum State: String, Sendable, Codable { case idle, running, done }

    /// The task that this report is about.
    package var task: MaintenanceTask
    /// The state of the task's latest run.
    package var state = State.idle
    /// The numbers of a `verify`; nil for another task, before its first progress, and without a store.
    package var verify: VerifyReport?
    /// The numbers of a `gc`; nil for another task, before its first progress, and without a store.
    package var gc: CollectReport?
}

/// Runs one maintenance task at a time, in the background, and remembers the latest report of each.
///
/// **Isolation:** a `Mutex`; each run has a thread of its own, which ends early when the store closes.
package final class Maintenance: Sendable {
    /// How a call of `start` went.
    package enum Start: Sendable, Hashable {
        /// The task runs now: it was started, or was running already.
        case running
        /// The other task is running.
        case busy
        /// The system gives no thread.
        case noThread(SystemError)
    }

    /// Runs work on a thread of its own, or throws.
    package typealias Spawn = @Sendable (_ work: @escaping @Sendable () -> Void) throws(SystemError) -> Void

    private let disk: DiskCache
    private let spawn: Spawn
    private let reports = Mutex<[MaintenanceTask: MaintenanceReport]>([:])

    /// Creates it with no task running.
    package init(
        disk: DiskCache,
        spawn: @escaping Spawn = { work throws(SystemError) in
            try WorkerThread("housekeeping", work).detach()
        }
    ) {
        self.disk = disk
        self.spawn = spawn
    }

    /// The progress or result of the latest run; `idle` if there is none.
    package func report(of task: MaintenanceTask) -> MaintenanceReport {
        reports.withLock { $0[task] } ?? MaintenanceReport(task: task)
    }

    /// Starts the task, unless a task is running.
    package func start(_ task: MaintenanceTask) -> Start {
        let running: MaintenanceTask? = reports.withLock { reports in
            if let running = reports.first(where: { $0.value.state == .running }) { return running.key }
            reports[task] = MaintenanceReport(task: task, state: .running)
            return nil
        }
        if let running { return running == task ? .running : .busy }
        do throws(SystemError) {
            try spawn { self.run(task) }
            return .running
        } catch {
            reports.withLock { $0[task] = nil }
            return .noThread(error)
        }
    }

    private func run(_ task: MaintenanceTask) {
        let last = task.run(on: disk.store) { report in self.reports.withLock { $0[task] = report } }
        reports.withLock { $0[task] = last }
    }
}

extension MaintenanceTask {
    /// Runs the task on the calling thread, and returns when it has ended.
    ///
    /// - Parameter disk: nil to do nothing, and report a task that is done.
    package func run(on disk: DiskStore?, _ tell: (MaintenanceReport) -> Void) -> MaintenanceReport {
        var report = MaintenanceReport(task: self, state: .running)
        switch self {
        case .verify:
            report.verify = disk?.verify {
                report.verify = $0
                tell(report)
            }
        case .gc:
            report.gc = disk?.collect {
                report.gc = $0
                tell(report)
            }
        }
        report.state = .done
        return report
    }
}
