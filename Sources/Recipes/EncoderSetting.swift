// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// Settings by which a recipe controls an encoder.
enum EncoderSetting { case quality, bytes, level, filters, interlaced, lossless, profile, metadata, gainMap }

extension ImageFormat {
    /// True if the format's encoder obeys the setting.
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

    /// True if the format's encoder obeys a quality.
    package var hasQuality: Bool { listens(to: .quality) }

    /// True if a lower quality gives fewer bytes, so that a recipe may bound them.
    package var fitsBytes: Bool { listens(to: .bytes) }

    /// True if the settings have a quality for recipes without their own. A TIFF without one is exact.
    package var hasStandardQuality: Bool { hasQuality && self != .tiff }

    /// True if a result in this format can say that its colours are not sRGB's.
    package var canTellProfile: Bool { [.jpeg, .png, .webp, .avif].contains(self) }
}
