// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// Settings by which a recipe controls an encoder.
enum EncoderSetting { case quality, level, filters, interlaced, lossless }

extension ImageFormat {
    /// True if the format's encoder obeys the setting.
    func listens(to setting: EncoderSetting) -> Bool {
        switch setting {
        case .quality: self != .png && self != .gif
        case .level, .filters: self == .png
        case .interlaced: self == .jpeg || self == .png || self == .gif
        case .lossless: self == .webp || self == .avif || self == .jxl
        }
    }
}
