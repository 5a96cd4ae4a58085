// SPDX-License-Identifier: Apache-2.0

/// The limit that a rendition exceeds: its unit and its number. Both reach the client, who learns from them what to ask
/// for instead.
package enum OutputLimit: Sendable, Hashable {
    /// Bytes in the file.
    case bytes(Int)
    /// Pixels on a side; the format's limit.
    case side(Int)
    /// Pixels of all frames together.
    case pixels(Int)
    /// Pixels of the letters in a text.
    case textPixels(Int)
    /// Pixels of all pictures within a drawing.
    case embeddedPixels(Int)
    /// Bytes of a file that is answered as a `data:` URL.
    case dataURLBytes(Int)
}
