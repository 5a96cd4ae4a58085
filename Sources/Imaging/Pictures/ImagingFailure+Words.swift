// SPDX-License-Identifier: Apache-2.0

internal import Recipes

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

    /// libvips' words for a lossless WebP that was not made, with the cause that they leave out: libwebp lacks nothing but memory
    /// for a picture of an allowed size. A lossy one may also have more bytes than its format takes.
    static func wordsOfLosslessWebP(_ words: String) -> String {
        let isNotCoded = ["webpsave: unable to encode", "anim add error"].contains { words.contains($0) }
        return isNotCoded ? "out of memory: \(words)" : words
    }

    private static let wordsOfMemory = [
        "out of memory", "insufficient memory", "memory allocation error", "vp8_status_out_of_memory",
        "picture memory error",
    ]

    /// Phrases that report no lack of memory, in spite of their words: a drawing's own words, libheif's own
    /// limit, and libtiff's message that may come from a damaged directory.
    private static let othersOfMemory = [
        "xml parse error", "security limit exceeded", "out of memory reading of",
    ]
}
