// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// The reasons why a job has no rendition, as the engine knows them. The engine knows nothing of processes: the decoder process
/// sends each reason to the daemon as the `DecoderRefusal` of the same name.
package enum ImagingFailure: Error, Sendable, Hashable {
    /// libvips could not be started.
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
    /// The encoder gave up, for no reason that this engine knows; words for the log.
    case encoderFailed(String)
    /// The output could not be written; words for the log.
    case cannotWrite(String)
}

// libvips has no error codes, so the kind of a failure is recognised by its words. Words from GLib may quote the
// file and are not trusted.
extension ImagingFailure {
    /// The failure to compute pixels: lack of memory or threads if the words say so, else a damaged picture.
    static func ofPixels(_ words: String) -> ImagingFailure {
        if tellsOfMemory(words) { return .outOfMemory(words) }
        return words.hasPrefix("glib: Error creating thread") ? .unavailable(words) : .damaged(words)
    }

    /// True if the words report a lack of memory, in the phrases of libvips, libjpeg, libheif or libwebp.
    static func tellsOfMemory(_ words: String) -> Bool {
        let words = words.lowercased()
        return !words.hasPrefix("glib: ") && wordsOfMemory.contains { words.contains($0) }
            && !othersOfMemory.contains { words.contains($0) }
    }

    private static let wordsOfMemory = [
        "out of memory", "insufficient memory", "memory allocation error", "vp8_status_out_of_memory",
    ]

    /// Phrases that report no lack of memory, in spite of their words: a drawing's own words, libheif's own
    /// limit, and libtiff's message that may come from a damaged directory.
    private static let othersOfMemory = [
        "xml parse error", "security limit exceeded", "out of memory reading of",
    ]
}
