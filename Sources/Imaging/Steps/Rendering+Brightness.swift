// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    /// Adds a constant to all channels, or one to each channel, which makes grey coloured.
    mutating func adjustBrightness() throws(ImagingFailure) {
        guard recipe.brightness != 0 else { return }
        let brightness = recipe.brightness
        let channels = [brightness.red, brightness.green, brightness.blue].map(LevelTable.brightness)
        try change { (page) throws(ImagingFailure) in
            if brightness.isEven { return try page.mapped(channels[0]) }
            let page = try page.coloured()
            return try page.mapped(page.hasAlpha ? channels + [LevelTable { $0 }] : channels)
        }
    }
}
