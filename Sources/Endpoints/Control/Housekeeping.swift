// SPDX-License-Identifier: Apache-2.0

internal import Kernel
package import Stores
internal import Synchronization

/// Long work on the disk cache that people ask for.
package enum Chore: String, Sendable, Codable, CaseIterable { case verify, gc }

/// How far it is.
package struct ChoreReport: Sendable, Codable {
    package enum State: String, Sendable, Codable { case idle, running, done }

    package var chore: Chore
    package var state = State.idle
    /// Of the chore that it is.
    package var verify: VerifyReport?
    package var gc: CollectReport?
}

/// Does one chore at a time, in the background, and remembers what came of the last of each kind.
///
/// **Isolation:** a `Mutex`; the work is a thread's of its own, which ends early when the store closes.
package final class Housekeeping: Sendable {
    private let disk: DiskKeeper
    private let reports = Mutex<[Chore: ChoreReport]>([:])

    package init(disk: DiskKeeper) { self.disk = disk }

    package func report(of chore: Chore) -> ChoreReport {
        reports.withLock { $0[chore] } ?? ChoreReport(chore: chore)
    }

    /// False: another one is under way. One of the same kind is not started twice, and that is no failure.
    package func start(_ chore: Chore) -> Bool {
        let decision: (isAccepted: Bool, starts: Bool) = reports.withLock { reports in
            if let running = reports.first(where: { $0.value.state == .running }) {
                return (running.key == chore, false)
            }
            reports[chore] = ChoreReport(chore: chore, state: .running)
            return (true, true)
        }
        guard decision.starts else { return decision.isAccepted }
        do throws(SystemError) {
            try WorkerThread("housekeeping") { self.run(chore) }.detach()
            return true
        } catch {
            reports.withLock { $0[chore] = nil }
            return false
        }
    }

    private func run(_ chore: Chore) {
        let last = chore.run(on: disk.store) { report in self.reports.withLock { $0[chore] = report } }
        reports.withLock { $0[chore] = last }
    }
}

extension Chore {
    /// Here and now, to its end.
    ///
    /// - Parameter disk: nil: there is nothing to do.
    package func run(on disk: DiskStore?, _ tell: (ChoreReport) -> Void) -> ChoreReport {
        var report = ChoreReport(chore: self, state: .running)
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
