// SPDX-License-Identifier: Apache-2.0

/// The limit that a rendition is beyond: of what, and how much. The unit goes with the number up to the client, who learns
/// by it what to ask for instead.
package enum OutputLimit: Sendable, Hashable {
    /// Bytes of the file.
    case bytes(Int)
    /// Pixels of a side, as its format allows.
    case side(Int)
    /// Pixels of all frames together.
    case pixels(Int)
    /// Pixels under the letters of a text.
    case textPixels(Int)
    /// Pixels of all pictures within a drawing.
    case embeddedPixels(Int)
    /// Bytes of a file that is answered as a `data:` URL.
    case dataURLBytes(Int)
}
