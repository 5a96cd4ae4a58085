// SPDX-License-Identifier: Apache-2.0

/// Why a job has no rendition. The engine throws it, and a decoder process sends it to the daemon. It is here, beside `Rendered`,
/// because the daemon does not link the engine.
package enum ImagingFailure: Error, Sendable, Hashable {
    /// The engine cannot work; words for the log.
    case unavailable(String)
    /// The original could not be decoded, or differs from its header; words for the log.
    case damaged(String)
    /// The process got no more memory for this picture and recipe; words for the log.
    case outOfMemory(String)
    /// The format cannot be read or written here.
    case formatNotAllowed
    /// The wanted page has a coding that is not read. The coding of the first page is checked with the
    /// header.
    case codingNotRead
    /// The wanted page lies behind the last one of a document, whose header does not tell the number of pages.
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
