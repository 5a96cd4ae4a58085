// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The one promise of a fetch to its caller. Whoever settles it first, the network or the cancelled task,
/// wins; everyone after that is told so.
///
/// **Isolation:** a `Mutex`; the continuation is resumed outside of it.
final class DownloadTicket: Sendable {
    typealias Answer = Result<DownloadReply, FailedDownload>

    private enum State {
        /// → waiting, or settled by a cancellation that came early.
        case new
        /// → settled.
        case waiting(CheckedContinuation<Answer, Never>)
        case settled
    }

    private let state = Mutex(State.new)

    /// False when the ticket was settled before; the caller has its answer then.
    func wait(with continuation: CheckedContinuation<Answer, Never>) -> Bool {
        let isWaiting = state.withLock { state in
            guard case .new = state else { return false }
            state = .waiting(continuation)
            return true
        }
        if !isWaiting { continuation.resume(returning: .failure(FailedDownload(.cancelled))) }
        return isWaiting
    }

    /// False when it was settled before.
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
