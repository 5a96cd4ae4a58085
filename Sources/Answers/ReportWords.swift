// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A dialect's names for the members of a description.
package struct ReportWords: Sendable {
    let progressive: String
    let profile: String
    let alpha: String
    /// True if the profile is given by its name, and not as a flag.
    let namesProfile: Bool
    /// True if the height is that of all frames together.
    let countsAllFrames: Bool
    let format: @Sendable (ImageFormat) -> String
    /// The structure of the description.
    package enum Form: Sendable {
        case whole
        /// The size of the result; in a separate member the original's size, format and bytes.
        case originalApart
        /// Format, bytes, size and pixel storage, and the colours by channel.
        case short
        /// Format and media type, size and pixel storage, an empty EXIF member, and the average by channel.
        case typed
        /// One member with the original, and another with the size of the result.
        case sourceAndTarget
    }

    package var form: Form
    /// True if the report says which picture of an AVIF or HEIC is the primary one: always the first, because no other is read.
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
