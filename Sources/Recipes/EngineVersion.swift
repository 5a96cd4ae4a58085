// SPDX-License-Identifier: Apache-2.0

/// Names what makes the pixels: a library of a version, and the settings that change pixels outside a recipe.
///
/// Its text is hashed into every rendition's key, and so into every `ETag` that clients hold and into the name of every
/// rendition's file. Another text makes all of them worthless. So the text is written out here, not derived from the
/// names of types, fields or cases, and a test holds it to the byte.
package struct EngineVersion: Sendable, Hashable {
    /// Rises when the same library with the same settings makes other pixels.
    private static let revision = 3

    package let text: String

    /// - Parameter library: with its version, as decoders announce it: `libvips 8.14.1`.
    package init(
        library: String, encoders: EncoderDefaults = EncoderDefaults(), damaged: DamagedPicture = .refuse
    ) {
        text = "\(Self.revision) \(library) \(encoders.keyText) \(damaged.keyText)"
    }
}

extension EncoderDefaults {
    /// Every field in a fixed order, under names that stay when a field is renamed.
    fileprivate var keyText: String {
        """
        EncoderDefaults(jpegQuality: \(jpegQuality), webpQuality: \(webpQuality), \
        avifQuality: \(avifQuality), jxlQuality: \(jxlQuality), targetLikeness: \(targetLikeness), \
        keepsSmallerOriginal: \(keepsSmallerOriginal), jpegOptimised: \(jpegOptimised), \
        webpEffort: \(webpEffort), webpAlphaQuality: \(webpAlphaQuality), avifEffort: \(avifEffort), \
        jxlEffort: \(jxlEffort), pngCompression: \(pngCompression), gifEffort: \(gifEffort))
        """
    }
}

extension DamagedPicture {
    fileprivate var keyText: String {
        switch self {
        case .refuse: "refuse"
        case .show: "show"
        }
    }
}
