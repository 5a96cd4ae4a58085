// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Glibc
internal import Recipes

/// How a job ended without an answer.
enum ExchangeLoss {
    case vanished, nonsense, timedOut, abandoned, shutDown
    /// The time was up, because the machine gave the process too little time to run.
    case heldUp
}

extension ExchangeLoss {
    /// - Parameter end: how the process ended. It says something about the job only if we did not kill the
    ///   process ourselves.
    func reason(_ end: ProcessEnd) -> DecoderEvent.Reason {
        switch self {
        case .vanished where end == .killed(signal: SIGSYS): .forbidden
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished where !end.isOwnDoing: .killed
        case .vanished, .nonsense: .crashed
        case .timedOut where end == .unknown: .heldUp
        case .timedOut: .timedOut
        case .heldUp: .heldUp
        case .abandoned: .abandoned
        case .shutDown: .shutDown
        }
    }

    /// True if the process was killed from outside: by the kernel when memory ran out, or by hand.
    func isInnocent(_ end: ProcessEnd) -> Bool {
        switch self {
        case .vanished: !end.isOwnDoing
        case .nonsense, .timedOut, .heldUp, .abandoned, .shutDown: false
        }
    }

    /// Whether another process may succeed, which is tried once.
    ///
    /// - Parameter others: whether the process did earlier jobs within the same allowance of processor time.
    func mayPass(_ end: ProcessEnd, after others: Bool) -> Bool {
        switch self {
        case .timedOut, .heldUp: true
        case .vanished: others && end == .killed(signal: SIGXCPU)
        case .nonsense, .abandoned, .shutDown: false
        }
    }

    func failure(_ end: ProcessEnd) -> DecoderFailure {
        switch self {
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished where !end.isOwnDoing: .killed
        case .vanished:
            if case .killed(let signal) = end { .crashed(signal: signal) } else { .crashed(signal: nil) }
        case .nonsense: .crashed(signal: nil)
        // The process survives SIGKILL, because a call to the disk holds it. The picture is not the cause.
        case .timedOut where end == .unknown, .heldUp where end == .unknown:
            .refused(.cannotWrite("the process does not end, as when a hanging disk holds it"))
        case .timedOut: .timedOut
        case .heldUp: .overloaded
        case .abandoned: .cancelled
        case .shutDown: .unavailable("shutting down")
        }
    }
}

extension ProcessEnd {
    /// Signals that the kernel sends a process for its own actions (signal(7)), including violations of its
    /// jail's limits. If somebody sends one by hand, the picture is blamed.
    private static let ownSignals: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ,
    ]

    /// False for SIGKILL by the kernel when memory runs out, SIGTERM by an operator, and an unknown end.
    var isOwnDoing: Bool {
        switch self {
        case .exited: true
        case .killed(let signal): Self.ownSignals.contains(signal)
        case .unknown: false
        }
    }
}
