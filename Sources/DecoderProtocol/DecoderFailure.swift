// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// Why a healthy decoder process made no picture: the engine's `ImagingFailure` as it is sent to the daemon, which does not link the
/// engine. `DecoderMain` maps each case.
package enum DecoderRefusal: Error, Sendable, Hashable {
    /// The engine cannot work; its words, for the log.
    case unavailable(String)
    /// The loader gave up on the bytes; its words, for the log.
    case damaged(String)
    /// The process got no more memory for this picture and recipe; words for the log.
    case outOfMemory(String)
    case formatNotAllowed
    /// The wanted page, which is not the first, has a coding that is not read.
    case codingNotRead
    /// The document has this many pages, without the wanted one.
    case noSuchPage(pages: Int)
    /// The drawing may not be served as a drawing; words for the log.
    case drawingRefused(String)
    /// The rendition exceeds a limit of the job or of its format.
    case outputTooLarge(OutputLimit)
    /// The encoder gave up, for no reason that the engine knows; words for the log.
    case encoderFailed(String)
    /// The output could not be written; words for the log.
    case cannotWrite(String)
}

extension DecoderRefusal {
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
    case refused(DecoderRefusal)
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
