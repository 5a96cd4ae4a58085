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
        /// The process said that it cannot work: out of memory, say, after many pictures.
        case unfit
        /// A signal that is not the process's own doing killed it: of the kernel that is out of memory, or of an operator.
        case killed
        /// The job's time was up, but the machine had given the process no processor, or the process was stopped.
        case heldUp
        /// The process computed without a job (`IdleTime`).
        case unasked
        case crashed, timedOut, abandoned, idleDeath, recycled, shutDown

        /// Whether code that guesses at addresses ends so, again and again.
        var suspicion: Suspicion {
            switch self {
            case .crashed, .forbidden, .timedOut, .unasked: .grave
            // Mostly it is a client that has gone; but the guess may hang, and the client be the guesser's.
            case .unfit, .killed, .heldUp, .abandoned, .idleDeath: .slight
            case .recycled, .shutDown: .none
            }
        }
    }

    enum Suspicion {
        case none
        /// One such end is as good as none; several are not.
        case slight
        case grave
    }

    case started(WireHandshake)
    /// The libraries have been upgraded, and a new zygote has linked them. Reported before any process of it has a job.
    case engineChanged(from: String, to: String)
    /// A line of the process's standard error, without control characters.
    case said(process: Int32, line: String)
    /// A process has answered a job: of this picture, by this recipe.
    case measured(process: Int32, JobMemory, of: ImageHeader, Recipe)
    case ended(process: Int32, ProcessEnd, Reason)
    case cannotStart(String, retryIn: Duration)
}

/// How a process ended (wait(2)).
package enum ProcessEnd: Sendable, Hashable {
    case exited(Int32)
    case killed(signal: Int32)
    /// The kernel gave no account of it: somebody else has waited for it, or a hanging disk keeps it.
    case unknown
}
