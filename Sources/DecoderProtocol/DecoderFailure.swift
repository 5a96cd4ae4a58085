// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// What a refusal of a healthy process says about the process.
extension ImagingFailure {
    /// Whether the failure says nothing about the picture, so that another process may succeed.
    package var isOfProcess: Bool {
        switch self {
        case .unavailable, .encoderFailed: true
        case .damaged, .outOfMemory, .formatNotAllowed, .codingNotRead, .noSuchPage, .drawingRefused,
            .outputTooLarge, .cannotWrite:
            false
        }
    }

    /// Whether the failure is one of the output, mostly of a full disk, so that the same process may succeed with another file.
    package var isOfOutput: Bool { if case .cannotWrite = self { true } else { false } }
}

/// Why a job has no picture.
package enum DecoderFailure: Error, Sendable, Hashable {
    /// A healthy process made no picture, or read none.
    case refused(ImagingFailure)
    /// The deadline passed and the process was killed.
    case timedOut
    /// The job made the process die: by a signal, or (nil) by exiting or by answering nonsense.
    case crashed(signal: Int32?)
    /// The processes that had the job were killed from outside, one after the other. Says nothing about the
    /// picture.
    case killed
    /// More jobs wait than the pool allows, or the machine gave the process no time. Says nothing about the picture.
    case overloaded
    /// The processes have another engine than the one that the job is keyed by. Says nothing about the
    /// picture.
    case otherEngine
    /// No process is available, or the pool is shutting down; words for the log.
    case unavailable(String)
    /// Names of required parts of the jail that this machine does not provide.
    case jailLacks([String])
    /// The task was cancelled.
    case cancelled
}
