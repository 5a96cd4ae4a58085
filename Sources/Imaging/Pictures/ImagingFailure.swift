// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// The reasons why a job has no rendition, as the engine knows them. It knows nothing of processes: the decoder's process sends each
/// one to the daemon as the `DecoderRefusal` of the same name.
package enum ImagingFailure: Error, Sendable, Hashable {
    /// libvips could not be started.
    case unavailable(String)
    /// The original could not be turned into pixels, or is not what its header says; words for the log.
    case damaged(String)
    /// The process got no more memory for this picture and recipe; words for the log.
    case outOfMemory(String)
    /// A format that cannot be read or written here.
    case formatNotAllowed
    /// The page that is wanted is in a coding that is not read; that of the first is known before.
    case codingNotRead
    /// Of a document, whose pages the header does not tell, the page that is wanted lies behind the last of so many.
    case noSuchPage(pages: Int)
    /// A drawing that is not passed on as one; words for the log.
    case drawingRefused(String)
    /// The rendition is beyond a limit of the job or of its format.
    case outputTooLarge(OutputLimit)
    /// The encoder gave up, or the output could not be written; words for the log.
    case cannotWrite(String)
}

// libvips has no codes for its failures: what it lacked is told in words alone. Words from GLib may quote the file.
extension ImagingFailure {
    /// A failure to make pixels: of memory or threads by the words for it, else of the picture.
    static func ofPixels(_ words: String) -> ImagingFailure {
        if tellsOfMemory(words) { return .outOfMemory(words) }
        return words.hasPrefix("glib: Error creating thread") ? .unavailable(words) : .damaged(words)
    }

    /// By libvips, libjpeg, libheif or libwebp.
    static func tellsOfMemory(_ words: String) -> Bool {
        let words = words.lowercased()
        return !words.hasPrefix("glib: ") && wordsOfMemory.contains { words.contains($0) }
            && !othersOfMemory.contains { words.contains($0) }
    }

    private static let wordsOfMemory = [
        "out of memory", "insufficient memory", "memory allocation error", "vp8_status_out_of_memory",
    ]

    /// A drawing's own words; a limit of libheif's own; and what libtiff says of a damaged directory as well.
    private static let othersOfMemory = [
        "xml parse error", "security limit exceeded", "out of memory reading of",
    ]
}
