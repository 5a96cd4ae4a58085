// SPDX-License-Identifier: Apache-2.0

extension PoolState {
    /// The state of a supervisor, as the pool sees it; each case lists the ways out of it.
    enum Supervision {
        /// The process has not sent its handshake yet. → ready, failing, ended
        case starting
        /// The last attempt to start a process failed; others follow. → ready, ended
        case failing
        /// The process waits for a job. → busy, starting (the process died, or has a former engine), ended
        case ready(WireSocket)
        /// The process has a job. → ready, starting (the process died or is recycled), ended
        case busy(WireSocket, JobTicket<Job>)
        /// The supervisor's thread has ended, or is about to.
        case ended
    }
}

extension PoolState.Supervision {
    /// Whether the process lives and has sent its handshake.
    var isServing: Bool {
        switch self {
        case .ready, .busy: true
        case .starting, .failing, .ended: false
        }
    }
}
