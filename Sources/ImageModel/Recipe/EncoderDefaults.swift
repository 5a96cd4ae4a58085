// SPDX-License-Identifier: Apache-2.0

/// How pictures are written where the recipe does not say. Part of every rendition's key.
package struct EncoderDefaults: Sendable, Hashable {
    /// 1…100.
    package var jpegQuality = 80
    package var webpQuality = 80
    package var avifQuality = 60
    /// 0…6: more is slower and smaller.
    package var webpEffort = 2
    /// 0…9.
    package var avifEffort = 0
    /// zlib level, 0…9.
    package var pngCompression = 6
    /// 1…10.
    package var gifEffort = 3

    package init() {}
}
