// SPDX-License-Identifier: Apache-2.0

package import DecoderProtocol
package import ImageHeaders
package import Recipes

/// An event in the life of a worker process, for the log.
package enum DecoderEvent: Sendable, Hashable {
    /// Why a process ended.
    package enum Reason: String, Sendable, Hashable {
        /// The process made a system call that its jail forbids (SIGSYS).
        case forbidden
        /// The process reported that it cannot work, for example out of memory after many pictures.
        case unfit
        /// A signal from outside killed it: from the kernel when memory ran out, or from an operator.
        case killed
        /// The job's time was up, but the process got no processor time from the machine, or was stopped.
        case heldUp
        /// The process computed without a job (`IdleTime`).
        case unasked
        case crashed, timedOut, abandoned, idleDeath, recycled, shutDown

        /// How likely such an end is a try of code that guesses addresses.
        var suspicion: Suspicion {
            switch self {
            case .crashed, .forbidden, .timedOut, .unasked: .grave
            // Mostly a client has gone; but the guess may hang, and the attacker may be the client.
            case .unfit, .killed, .heldUp, .abandoned, .idleDeath: .slight
            case .recycled, .shutDown: .none
            }
        }
    }

    enum Suspicion {
        case none
        /// One such end does not count; several do.
        case slight
        case grave
    }

    case started(WireHandshake)
    /// A new zygote has linked upgraded libraries. Reported before any of its processes has a job.
    case engineChanged(from: String, to: String)
    /// A line of the process's standard error, without control characters.
    case said(process: Int32, line: String)
    /// A process has answered a job with this header and recipe, which took this memory.
    case measured(process: Int32, JobMemory, of: ImageHeader, Recipe)
    case ended(process: Int32, ProcessEnd, Reason)
    case cannotStart(String, retryIn: Duration)
}

/// How a process ended (wait(2)).
package enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case killed(signal: Int32)
    /// The kernel did not report the end: somebody else has waited for the process, or a hanging disk holds
    /// it.
    case unknown
}
