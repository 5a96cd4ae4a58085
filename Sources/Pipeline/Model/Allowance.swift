// SPDX-License-Identifier: Apache-2.0

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
    /// Pays before work that may turn out to be another request's.
    /// - Returns: true if it paid now, so that `giveBack` may follow.
    /// - Throws: `.throttled`.
    func pay() async throws(PipelineFailure) -> Bool {
        switch await allowance?.pay() {
        case .paid: return true
        case .alreadyPaid, nil: return false
        case .refused(let retryAfter): throw PipelineFailure(.throttled(retryAfter: retryAfter))
        }
    }
}
