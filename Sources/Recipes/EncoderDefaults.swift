// SPDX-License-Identifier: Apache-2.0

/// Encoder settings for recipes without their own. Part of every rendition's key.
///
/// The default qualities look alike (SSIMULACRA2 between 75 and 80 on photographs); `Benchmarks/encoders.md`
/// has the measurements behind every number.
package struct EncoderDefaults: Sendable, Hashable {
    /// 1…100, on libjpeg's scale.
    package var jpegQuality = 80
    /// 1…100, on libwebp's scale.
    package var webpQuality = 80
    /// 1…100, on libheif's scale.
    package var avifQuality = 65
    /// 1…100, on libjxl's scale.
    package var jxlQuality = 80
    /// The target of `q=auto`: SSIMULACRA 2 divided by 100, 0.5…1.
    package var targetLikeness = 0.75
    /// True to answer with the original's bytes, without metadata, if re-encoding alone would enlarge them.
    package var keepsSmallerOriginal = true
    /// True to compute Huffman codes for each JPEG.
    package var jpegOptimised = true
    /// 0…6: a higher effort is slower and gives smaller files.
    package var webpEffort = 2
    /// 0…100; 100 stores alpha without loss.
    package var webpAlphaQuality = 100
    /// 0…9; higher is slower and gives smaller files.
    package var avifEffort = 1
    /// 3…9; higher is slower and gives smaller files.
    package var jxlEffort = 5
    /// zlib's level, 0…9.
    package var pngCompression = 4
    /// 1…10; higher is slower and gives smaller files.
    package var gifEffort = 4

    /// The measured defaults.
    package init() {}
}
