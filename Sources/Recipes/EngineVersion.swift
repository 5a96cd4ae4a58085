// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The version of everything that determines pixels besides the recipe: the libraries, and the settings.
///
/// Its text is hashed into every rendition's key, and so into every `ETag` that clients hold and into the
/// name of every rendition's file. A changed text invalidates them all. So the text is spelled out here,
/// independent of the names of types, fields and cases, and a test compares it byte by byte.
package struct EngineVersion: Sendable, Hashable {
    /// Incremented when the same libraries and settings make other pixels.
    private static let revision = 30

    /// The text with all libraries.
    package var text: String { Self.text(library, settings) }
    /// The libraries and their versions as the decoders announce them; a part of the text.
    package let library: String
    /// The qualities and efforts for recipes without their own; a part of the text.
    package let encoders: EncoderDefaults
    /// The treatment of truncated pictures; a part of the text.
    package let damaged: DamagedPicture
    /// `encoders` and `damaged` as text.
    private let settings: String
    /// The names and versions in `library`, one by one.
    private let libraries: [Library]

    private struct Library: Sendable, Hashable {
        let words: Substring
        /// The renditions that the library takes part in; nil = all.
        let use: LibraryUse?
    }

    /// - Parameter library: names and versions as decoders announce them: `libvips 8.14.1, planar 1, heif 1.15.1`.
    package init(
        library: String, encoders: EncoderDefaults = EncoderDefaults(), damaged: DamagedPicture = .refuse
    ) {
        (self.library, self.encoders, self.damaged) = (library, encoders, damaged)
        settings = "\(encoders.keyText) \(damaged.keyText)"
        libraries = library.split(separator: ",").map { words in
            let words = words.drop { $0 == " " }
            return Library(words: words, use: LibraryUse.of(String(words.prefix { $0 != " " })))
        }
    }

    /// The text that is hashed into a key: only the libraries that take part in the rendition.
    /// - Parameters:
    ///   - recipe: must be resolved.
    ///   - format: the original's format.
    package func text(for recipe: Recipe, of format: ImageFormat) -> String {
        var parts = ""
        parts.reserveCapacity(library.utf8.count)
        for library in libraries where library.use?.takesPart(in: recipe, of: format) ?? true {
            if !parts.isEmpty { parts += ", " }
            parts += library.words
        }
        return Self.text(parts, settings)
    }

    private static func text(_ library: String, _ settings: String) -> String {
        "\(revision) \(library) \(settings)"
    }

    /// The same settings with other libraries.
    package func with(library: String) -> EngineVersion {
        EngineVersion(library: library, encoders: encoders, damaged: damaged)
    }
}

extension EncoderDefaults {
    /// Every field in a fixed order, under a name that stays even if the field is renamed.
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
