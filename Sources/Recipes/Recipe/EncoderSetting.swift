// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The settings of an encoder that a recipe controls.
enum EncoderSetting { case quality, bytes, level, filters, interlaced, lossless, profile, metadata, gainMap }

extension ImageFormat {
    /// True if the format's encoder has the setting.
    func listens(to setting: EncoderSetting) -> Bool {
        switch setting {
        case .quality: self != .png && self != .gif && self != .svg
        case .bytes: self == .jpeg || self == .webp || self == .avif || self == .jxl
        case .level, .filters: self == .png
        case .interlaced: self == .jpeg || self == .png || self == .gif
        case .profile, .metadata: canTellProfile
        case .gainMap: self == .jpeg
        case .lossless: self == .webp || self == .avif || self == .jxl
        }
    }

    /// True if the format's encoder has a quality.
    package var hasQuality: Bool { listens(to: .quality) }

    /// True if a lower quality gives fewer bytes, so that a recipe may limit the bytes.
    package var fitsBytes: Bool { listens(to: .bytes) }

    /// True if the settings provide a quality for recipes without one. A TIFF without a quality is lossless.
    package var hasStandardQuality: Bool { hasQuality && self != .tiff }

    /// True if a file of this format can carry a colour profile.
    package var canTellProfile: Bool { [.jpeg, .png, .webp, .avif].contains(self) }
}
