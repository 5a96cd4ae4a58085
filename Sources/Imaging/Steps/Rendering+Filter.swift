// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Rendering {
    mutating func filter() throws(ImagingFailure) {
        guard let filter = recipe.filter else { return }
        switch filter {
        case .greyscale: try change { (page) throws(ImagingFailure) in try page.grey() }
        case .sepia:
            try change { (page) throws(ImagingFailure) in try page.coloured().recombined(Self.sepia) }
        case .negate: try change { (page) throws(ImagingFailure) in try page.mapped(.inverted) }
        case .duotone(let start, let stop): try duotone(from: start, to: stop)
        }
    }

    /// The luma of BT.601, scaled for each channel: brighter in red and darker in blue, which gives brown.
    private static let sepia = [0.3588, 0.7044, 0.1368, 0.2990, 0.5870, 0.1140, 0.2392, 0.4696, 0.0912]

    /// Maps grey levels to the colours on a straight line in CIE Lab from `start` to `stop`; Display P3 gets the
    /// same colours.
    private mutating func duotone(from start: Color, to stop: Color) throws(ImagingFailure) {
        let (first, last) = (LabColour(start), LabColour(stop))
        let way = (0...255).map { level in
            let colour = first.mixed(with: last, at: Double(level) / 255).inSRGB
            return isWide ? colour.inDisplayP3 : colour
        }
        let channels = [\Color.red, \Color.green, \Color.blue].map { channel in
            LevelTable(way.map { $0[keyPath: channel] })
        }
        try change { (page) throws(ImagingFailure) in
            let grey = try page.grey()
            let toned = try grey.opaque().mapped(channels)
            return try grey.hasAlpha ? toned.addingAlpha(of: grey) : toned
        }
    }
}
