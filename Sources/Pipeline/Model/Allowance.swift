// SPDX-License-Identifier: Apache-2.0

/// What may still be made for one asker. What is held costs nothing; a request for which something is fetched or
/// rendered costs one, however much that is.
package protocol Allowance: Sendable {
    /// Once it has been paid for a request, it stays paid.
    func pay() -> Payment
    /// The work that was paid for is somebody else's.
    func giveBack()
}

package enum Payment: Sendable, Hashable {
    case paid, alreadyPaid
    /// `retryAfter` in seconds.
    case refused(retryAfter: Int)
}

extension PipelineRequest {
    /// To be called before work begins that others may turn out to have begun. True: paid now, so `giveBack` may follow.
    func pay() throws(PipelineFailure) -> Bool {
        switch allowance?.pay() {
        case .paid: return true
        case .alreadyPaid, nil: return false
        case .refused(let retryAfter): throw PipelineFailure(.throttled(retryAfter: retryAfter))
        }
    }
}
