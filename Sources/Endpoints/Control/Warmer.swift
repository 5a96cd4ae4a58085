// SPDX-License-Identifier: Apache-2.0

internal import Answers
package import Kernel
package import Pipeline
internal import Synchronization

/// The progress of a warming; the answer of `POST` and `GET` of `/admin/warm`.
package struct WarmReport: Sendable, Encodable {
    /// A picture that could not be made.
    package struct Failure: Sendable, Encodable {
        /// The target as written in the order.
        package var target: String
        /// The HTTP status that a client would get.
        package var status: Int
        /// The code, as in the body of a refusal.
        package var error: String
    }

    /// `idle` if nothing was warmed since the daemon started.
    package var state = MaintenanceReport.State.idle
    /// Pictures in the order.
    package var total = 0
    /// Finished targets that were held already.
    package var held = 0
    /// Targets that were made.
    package var made = 0
    /// Targets that could not be made.
    package var failed = 0
    /// The first of the failures.
    package var failures: [Failure] = []

    fileprivate static let longest = 20
}

/// Makes pictures before they are requested, one after another, at a lower priority than clients' requests.
///
/// **Isolation:** a `Mutex`; one task at a time writes.
package final class Warmer: Sendable {
    private let pipeline: Pipeline<Body>
    private let progress = Mutex(WarmReport())

    /// Creates it with nothing running.
    package init(_ pipeline: Pipeline<Body>) { self.pipeline = pipeline }

    /// The progress or result of the latest run.
    package var report: WarmReport { progress.withLock { $0 } }

    /// Starts to make these pictures.
    /// - Parameter wishes: the pictures, each with its request and its target as written in the order.
    /// - Returns: false if others are being made.
    package func start(_ wishes: [(target: String, request: PipelineRequest)]) -> Bool {
        let isFree = progress.withLock { progress in
            guard progress.state != .running else { return false }
            progress = WarmReport(state: .running, total: wishes.count)
            return true
        }
        guard isFree else { return false }
        Task(priority: .background) {
            for (target, request) in wishes { await make(target, request) }
            progress.withLock { $0.state = .done }
        }
        return true
    }

    private func make(_ target: String, _ request: PipelineRequest) async {
        do throws(PipelineFailure) {
            let outcome = try await pipeline.answer(request).outcome
            let isHeld = [.memoryHit, .diskHit, .sharedHit, .stale, .revalidated].contains(outcome)
            progress.withLock { if isHeld { $0.held += 1 } else { $0.made += 1 } }
        } catch {
            let words = ErrorResponse(error)
            progress.withLock { progress in
                progress.failed += 1
                guard progress.failures.count < WarmReport.longest else { return }
                progress.failures.append(.init(target: target, status: words.status, error: words.code))
            }
        }
    }
}
