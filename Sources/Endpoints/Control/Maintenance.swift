// SPDX-License-Identifier: Apache-2.0

internal import Kernel
package import Stores
internal import Synchronization

/// Long work on the disk cache that people ask for.
package enum MaintenanceTask: String, Sendable, Codable, CaseIterable { case verify, gc }

/// How far it is.
package struct MaintenanceReport: Sendable, Codable {
    package enum State: String, Sendable, Codable { case idle, running, done }

    package var task: MaintenanceTask
    package var state = State.idle
    /// Of the maintenance task that it is.
    package var verify: VerifyReport?
    package var gc: CollectReport?
}

/// Does one maintenance task at a time, in the background, and remembers what came of the last of each kind.
///
/// **Isolation:** a `Mutex`; the work is a thread's of its own, which ends early when the store closes.
package final class Maintenance: Sendable {
    private let disk: DiskCache
    private let reports = Mutex<[MaintenanceTask: MaintenanceReport]>([:])

    package init(disk: DiskCache) { self.disk = disk }

    package func report(of task: MaintenanceTask) -> MaintenanceReport {
        reports.withLock { $0[task] } ?? MaintenanceReport(task: task)
    }

    /// False: another one is under way. One of the same kind is not started twice, and that is no failure.
    package func start(_ task: MaintenanceTask) -> Bool {
        let decision: (isAccepted: Bool, starts: Bool) = reports.withLock { reports in
            if let running = reports.first(where: { $0.value.state == .running }) {
                return (running.key == task, false)
            }
            reports[task] = MaintenanceReport(task: task, state: .running)
            return (true, true)
        }
        guard decision.starts else { return decision.isAccepted }
        do throws(SystemError) {
            try WorkerThread("housekeeping") { self.run(task) }.detach()
            return true
        } catch {
            reports.withLock { $0[task] = nil }
            return false
        }
    }

    private func run(_ task: MaintenanceTask) {
        let last = task.run(on: disk.store) { report in self.reports.withLock { $0[task] = report } }
        reports.withLock { $0[task] = last }
    }
}

extension MaintenanceTask {
    /// Here and now, to its end.
    ///
    /// - Parameter disk: nil: there is nothing to do.
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
