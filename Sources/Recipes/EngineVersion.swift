// SPDX-License-Identifier: Apache-2.0

/// The version of everything that makes pixels: the library, and the settings beside the recipe that change
/// pixels.
///
/// Its text is hashed into every rendition's key, and so into every `ETag` that clients hold and into the
/// name of every rendition's file. A changed text invalidates them all. So the text is spelled out here,
/// independent of the names of types, fields and cases, and a test compares it byte by byte.
package struct EngineVersion: Sendable, Hashable {
    /// To be raised when the same library and settings make other pixels.
    private static let revision = 15

    /// The text that is hashed.
    package let text: String
    /// The decoders' own name for what they are, in it.
    package let library: String
    /// The qualities and efforts in it, for recipes without their own.
    package let encoders: EncoderDefaults
    /// The treatment of truncated pictures in it.
    package let damaged: DamagedPicture

    /// - Parameter library: names and versions, as decoders announce them: `libvips 8.14.1, planar 1, heif 1.15.1`.
    package init(
        library: String, encoders: EncoderDefaults = EncoderDefaults(), damaged: DamagedPicture = .refuse
    ) {
        (self.library, self.encoders, self.damaged) = (library, encoders, damaged)
        text = "\(Self.revision) \(library) \(encoders.keyText) \(damaged.keyText)"
    }

    /// The same settings with another library.
    package func with(library: String) -> EngineVersion {
        EngineVersion(library: library, encoders: encoders, damaged: damaged)
    }
}

extension EncoderDefaults {
    /// Every field in a fixed order, under a name that stays when the field is renamed.
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
