// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders

/// What a recipe may say of how a format is written.
enum EncoderSetting { case quality, level, filters, interlaced, lossless }

extension ImageFormat {
    /// Its encoder does something else when the recipe says this.
    func listens(to setting: EncoderSetting) -> Bool {
        switch setting {
        case .quality: self != .png && self != .gif
        case .level, .filters: self == .png
        case .interlaced: self == .jpeg || self == .png || self == .gif
        case .lossless: self == .webp || self == .avif || self == .jxl
        }
    }
}
