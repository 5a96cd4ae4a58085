// SPDX-License-Identifier: Apache-2.0

/// How pictures are written where the recipe does not say. Part of every rendition's key.
///
/// The qualities are those that look alike (SSIMULACRA2 between 75 and 80 on photographs); `Benchmarks/encoders.md`
/// has the measurements behind every number.
package struct EncoderDefaults: Sendable, Hashable {
    /// 1…100.
    package var jpegQuality = 80
    package var webpQuality = 80
    package var avifQuality = 65
    package var jxlQuality = 80
    /// What `q=auto` means: SSIM of the luma, 0.5…1.
    package var targetLikeness = 0.98
    /// Where writing a picture again would only make it bigger, its own bytes are the answer, without metadata.
    package var keepsSmallerOriginal = true
    /// JPEG's codes are made for each picture.
    package var jpegOptimised = true
    /// 0…6: more is slower and smaller.
    package var webpEffort = 2
    /// 0…100; 100 keeps alpha exact.
    package var webpAlphaQuality = 100
    /// 0…9.
    package var avifEffort = 1
    /// 3…9.
    package var jxlEffort = 5
    /// zlib level, 0…9.
    package var pngCompression = 4
    /// 1…10.
    package var gifEffort = 4

    package init() {}
}
