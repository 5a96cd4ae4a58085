// SPDX-License-Identifier: Apache-2.0

/// What a picture says of itself beyond what is needed to decode it: for people and programs that ask. Read when it is
/// asked for; metadata that is damaged or not there damages no picture and is left out.
package struct ImageDetails: Sendable, Hashable {
    /// Of the pixels as stored, in libvips' words.
    package enum Space: String, Sendable, Hashable {
        case srgb, cmyk, rgb16, grey16
        case grey = "b-w"
    }

    package enum Depth: String, Sendable, Hashable { case uchar, ushort, float }

    /// Pixels an inch; what claims more is no density.
    package static let highestDensity = 1_000_000

    package var space = Space.srgb
    /// With alpha.
    package var channels = 3
    package var depth = Depth.uchar
    package var hasProfile = false
    /// At most 64 characters.
    package var profile: String?
    /// Pixels an inch.
    package var density: Int?
    /// As `4:2:0`, for JPEG.
    package var chromaSubsampling: String?
    package var isProgressive = false
    /// Bits of a colour index.
    package var paletteBits: Int?
    /// How often an animation is played; 0 is for ever.
    package var loop: Int?
    /// Milliseconds of each frame, of the first 10,000.
    package var delays: [Int] = []

    package init() {}

    /// What follows from the header alone.
    package init(_ header: ImageHeader) { setChannels(header.hasAlpha ? 4 : 3, bits: 8) }
}

extension ImageDetails {
    /// Total on any bytes, like the header's parser, and bounded by the same budget.
    package static func parse(_ source: some HeaderSource, header: ImageHeader) -> ImageDetails {
        var reader = HeaderReader(source)
        var details = ImageDetails(header)
        // What a format's reader had found before it came to damage stays.
        switch header.format {
        case .jpeg: try? details.readJPEG(&reader)
        case .png: try? details.readPNG(&reader, header)
        case .gif: try? details.readGIF(&reader)
        case .webp: details.readWebP(&reader)
        case .tiff: try? details.readTIFF(&reader)
        case .avif, .heic: try? details.readISOMedia(&reader, header)
        case .svg, .jxl, .bmp, .ico, .pdf: break
        }
        return details
    }

    /// - Parameter bits: of one sample.
    mutating func setChannels(_ count: Int, bits: Int) {
        channels = count
        depth = bits > 8 ? .ushort : .uchar
        if count < 3 { space = bits > 8 ? .grey16 : .grey } else { space = bits > 8 ? .rgb16 : .srgb }
    }

    /// Numbers of no sense are no density.
    mutating func setDensity(_ pixelsAnInch: Double) {
        if pixelsAnInch.isFinite, (1...Double(Self.highestDensity)).contains(pixelsAnInch) {
            // Cannot trap: it was held against a range.
            density = Int(pixelsAnInch.rounded())
        }
    }

    package mutating func setProfile(_ name: String?) {
        hasProfile = true
        let visible = name.map {
            $0.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        }
        profile = visible.flatMap { $0.isEmpty ? nil : String($0.prefix(64)) }
    }
}
