// SPDX-License-Identifier: Apache-2.0

/// A picture's metadata beyond the needs of decoding, for people and programs that ask for it. Missing or
/// damaged metadata is left out, and does not make the picture damaged.
package struct ImageDetails: Sendable, Hashable {
    /// Colour space of the stored pixels, in libvips' words.
    package enum Space: String, Sendable, Hashable {
        case srgb, cmyk, rgb16, grey16
        case grey = "b-w"
    }

    /// Sample format of the stored pixels, in libvips' words.
    package enum Depth: String, Sendable, Hashable { case uchar, ushort, float }

    /// Pixels per inch; a higher value counts as none.
    package static let highestDensity = 1_000_000

    /// Colour space of the stored pixels.
    package var space = Space.srgb
    /// Channels, alpha included.
    package var channels = 3
    /// Sample format.
    package var depth = Depth.uchar
    /// True if the file has an ICC profile, with or without a name.
    package var hasProfile = false
    /// The ICC profile's name, at most 64 characters; nil without one.
    package var profile: String?
    /// Pixels per inch; nil if the file does not tell.
    package var density: Int?
    /// JPEG's subsampling, such as `4:2:0`; nil for other formats.
    package var chromaSubsampling: String?
    /// True for progressive JPEG, and interlaced PNG and GIF.
    package var isProgressive = false
    /// Bits of a palette index; nil without a palette.
    package var paletteBits: Int?
    /// Plays of an animation, 0 for ever; nil for stills.
    package var loop: Int?
    /// Milliseconds of each frame; at most the first 10,000.
    package var delays: [Int] = []

    /// Eight bits of sRGB, and nothing else known.
    package init() {}

    /// The details that follow from the header alone.
    package init(_ header: ImageHeader) { setChannels(header.hasAlpha ? 4 : 3, bits: 8) }
}

extension ImageDetails {
    /// Reads the details of a file whose header has been parsed. Total on any bytes, and bounded by the same
    /// budget as the header's parser.
    package static func parse(_ source: some HeaderSource, header: ImageHeader) -> ImageDetails {
        var reader = HeaderReader(source)
        var details = ImageDetails(header)
        // Details found before a damaged part stay.
        switch header.format {
        case .jpeg: try? details.readJPEG(&reader)
        case .png: try? details.readPNG(&reader, header)
        case .gif: try? details.readGIF(&reader)
        case .webp: details.readWebP(&reader)
        case .tiff: try? details.readTIFF(&reader)
        case .avif, .heic: try? details.readISOMedia(&reader, header)
        case .jxl: try? details.readJXL(&reader)
        case .svg, .bmp, .ico, .pdf: break
        }
        return details
    }

    /// - Parameter bits: bits per sample.
    mutating func setChannels(_ count: Int, bits: Int) {
        channels = count
        depth = bits > 8 ? .ushort : .uchar
        if count < 3 { space = bits > 8 ? .grey16 : .grey } else { space = bits > 8 ? .rgb16 : .srgb }
    }

    /// Ignores implausible numbers.
    mutating func setDensity(_ pixelsAnInch: Double) {
        if pixelsAnInch.isFinite, (1...Double(Self.highestDensity)).contains(pixelsAnInch) {
            // Cannot trap: the value is within a range.
            density = Int(pixelsAnInch.rounded())
        }
    }

    /// Records an ICC profile; control characters are removed from its name.
    package mutating func setProfile(_ name: String?) {
        hasProfile = true
        let visible = name.map {
            $0.filter { !$0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
        }
        profile = visible.flatMap { $0.isEmpty ? nil : String($0.prefix(64)) }
    }
}
