// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// Why a decoder process, alive and well, made no picture: the engine's `ImagingFailure` as it crosses to the daemon, which links no
/// engine. `DecoderMain` has one line for each pair.
package enum DecoderRefusal: Error, Sendable, Hashable {
    /// The engine cannot work here; its words, for the log.
    case unavailable(String)
    /// The loader gave up on the bytes; its words, for the log.
    case damaged(String)
    /// The process got no more memory for this picture and recipe; words for the log.
    case outOfMemory(String)
    case formatNotAllowed
    /// Of a page behind the first one.
    case codingNotRead
    /// Of a document: it has so many pages, and not the one that is wanted.
    case noSuchPage(pages: Int)
    /// A drawing that is not passed on as one; words for the log.
    case drawingRefused(String)
    /// The rendition is beyond a limit of the job or of its format.
    case outputTooLarge(OutputLimit)
    /// The output could not be written; words for the log.
    case cannotWrite(String)
}

extension DecoderRefusal {
    /// Whether the failure says nothing of the picture: another process may do better.
    package var isOfProcess: Bool {
        switch self {
        case .unavailable, .cannotWrite: true
        case .damaged, .outOfMemory, .formatNotAllowed, .codingNotRead, .noSuchPage, .drawingRefused,
            .outputTooLarge:
            false
        }
    }
}

/// Why a job brought no picture.
package enum DecoderFailure: Error, Sendable, Hashable {
    case refused(DecoderRefusal)
    /// The deadline passed and the process was killed.
    case timedOut
    /// The process died of the job: by a signal, or (nil) by leaving or by answering nonsense.
    case crashed(signal: Int32?)
    /// The processes that had the job were killed from outside, one after the other: says nothing of the
    /// picture.
    case killed
    /// More jobs are waiting than the pool holds, or the machine gave the process no time: says nothing of the picture.
    case overloaded
    /// The processes have another engine by now than the job is keyed by: says nothing of the picture.
    case otherEngine
    /// No process can be had, or the pool is shutting down; words for the log.
    case unavailable(String)
    /// Parts of the jail that are required cannot be had on this machine; their names.
    case jailLacks([String])
    /// The task was cancelled.
    case cancelled
}
