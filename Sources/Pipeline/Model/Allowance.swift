// SPDX-License-Identifier: Apache-2.0

/// The work that may still be done for one client. A request that is answered from the cache costs nothing; one that needs
/// a fetch or a rendering costs one, however much that is.
package protocol Allowance: Sendable {
    /// Pays for the request. A second call for the same request costs nothing.
    func pay() -> Payment
    /// Takes the payment back: the work was another request's.
    func giveBack()
}

/// The verdict of an allowance on one request.
package enum Payment: Sendable, Hashable {
    case paid, alreadyPaid
    /// `retryAfter` in seconds.
    case refused(retryAfter: Int)
}

extension PipelineRequest {
    /// Call this before work begins that another request may turn out to have begun.
    /// - Returns: true: paid now, so `giveBack` may follow.
    /// - Throws: `.throttled`.
    func pay() throws(PipelineFailure) -> Bool {
        switch allowance?.pay() {
        case .paid: return true
        case .alreadyPaid, nil: return false
        case .refused(let retryAfter): throw PipelineFailure(.throttled(retryAfter: retryAfter))
        }
    }
}
