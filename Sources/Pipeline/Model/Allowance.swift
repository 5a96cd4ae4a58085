// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A client's allowance of new work. A request answered from the cache costs nothing; one that needs a fetch
/// or a rendering costs one, however large.
package protocol Allowance: Sendable {
    /// Pays for the request. A second call for the same request costs nothing.
    func pay() async -> Payment
    /// Takes the payment back, because another request's work was used.
    func giveBack()
}

/// An allowance's verdict on one request.
package enum Payment: Sendable, Hashable {
    case paid, alreadyPaid
    /// `retryAfter` in seconds.
    case refused(retryAfter: Int)
}

extension PipelineRequest {
    /// Pays before work that may turn out to be shared with another request.
    /// - Returns: true if it paid now, so that `giveBack` may follow.
    /// - Throws: `.throttled`.
    func pay() async throws(PipelineFailure) -> Bool {
        switch await allowance?.pay() {
        case .paid: return true
        case .alreadyPaid, nil: return false
        case .refused(let retryAfter): throw PipelineFailure(.throttled(retryAfter: retryAfter))
        }
    }

    /// Pays before work that may turn out to be shared with another request, and takes the payment back if it fails without any work
    /// that this request began.
    /// - Parameter work: work that others may share; it takes leadership when it begins.
    /// - Returns: the value, and true if this call paid, so that `giveBack` may follow.
    func paying<Value>(
        _ work: (Leadership) async throws(PipelineFailure) -> Value
    ) async throws(PipelineFailure) -> (value: Value, hasPaid: Bool) {
        let hasPaid = try await pay()
        let leadership = Leadership()
        do throws(PipelineFailure) {
            return (try await work(leadership), hasPaid)
        } catch {
            if hasPaid, !leadership.isTaken || error.isWithoutWork { allowance?.giveBack() }
            throw error
        }
    }
}

/// Records whether this request began the in-flight request that others join.
final class Leadership: Sendable {
    private let taken = Atomic(false)

    var isTaken: Bool { taken.load(ordering: .relaxed) }
    func take() { taken.store(true, ordering: .relaxed) }
}

extension PipelineFailure {
    /// True if nothing was fetched or made before the failure. For an asker that left, work has been done.
    var isWithoutWork: Bool {
        if case .originResting = reason { return true }
        return isFromMemory || reason.row.isRefunded && !hasHadWork
    }
}
