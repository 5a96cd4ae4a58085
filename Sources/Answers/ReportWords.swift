// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// How a dialect names what is told of a picture.
package struct ReportWords: Sendable {
    let progressive: String
    let profile: String
    let alpha: String
    /// The profile is told by its name, and not only whether there is one.
    let namesProfile: Bool
    /// The height is that of all frames together.
    let countsAllFrames: Bool
    let format: @Sendable (ImageFormat) -> String
    /// How much is told.
    package enum Form: Sendable {
        case whole
        /// The size of the result, and apart from it the original's size, format and bytes.
        case originalApart
        /// Format, bytes, size and how its pixels are stored, and the colours by channel.
        case short
        /// Format and media type, size and how its pixels are stored, no EXIF, and the average by channel.
        case typed
        /// Within one member the original, and apart from it the size of the result.
        case sourceAndTarget
    }

    package var form: Form
    /// Whether the report tells which picture of an AVIF or HEIC is the primary one. Always the first here, since no other is read.
    let tellsPrimary: Bool

    package init(
        progressive: String, profile: String, alpha: String, namesProfile: Bool, countsAllFrames: Bool,
        format: @escaping @Sendable (ImageFormat) -> String, form: Form = .whole,
        tellsPrimary: Bool = false
    ) {
        self.progressive = progressive
        self.profile = profile
        self.alpha = alpha
        self.namesProfile = namesProfile
        self.countsAllFrames = countsAllFrames
        self.format = format
        self.form = form
        self.tellsPrimary = tellsPrimary
    }

    package static var native: ReportWords {
        ReportWords(
            progressive: "progressive", profile: "profile", alpha: "alpha", namesProfile: true,
            countsAllFrames: false, format: \.name)
    }
}
