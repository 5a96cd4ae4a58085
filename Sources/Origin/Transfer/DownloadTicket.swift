// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Passes the answer of one fetch to its caller. The first to settle it, the network thread or the cancelled task, wins; later
/// attempts return false.
///
/// **Isolation:** a `Mutex`; the continuation is resumed outside of it.
final class DownloadTicket: Sendable {
    typealias Answer = Result<DownloadReply, FailedDownload>

    private enum State {
        /// Leads to `waiting`, or to `settled` by an early cancellation.
        case new
        case waiting(CheckedContinuation<Answer, Never>)
        case settled
    }

    private let state = Mutex(State.new)

    /// Suspends the caller. False if the ticket was settled before; the caller then has its answer.
    func wait(with continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isWaiting { continuation.resume(returning: .failure(FailedDownload(.cancelled))) }
        return isWaiting
    }

    /// Resumes the caller. False if the ticket was settled before.
    @discardableResult
    func settle(_ answer: Answer) -> Bool {
        let before = state.withLock { state in
            let before = state
            state = .settled
            return before
        }
        switch before {
        case .new: return true
        case .settled: return false
        case .waiting(let continuation):
            continuation.resume(returning: answer)
            return true
        }
    }

    var isSettled: Bool {
        state.withLock { if case .settled = $0 { true } else { false } }
    }
}
