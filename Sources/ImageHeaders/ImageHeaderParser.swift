// SPDX-License-Identifier: Apache-2.0

extension ImageHeader {
    /// The longest side that a header may claim, in pixels: decoders use signed 32-bit fields.
    static let longestSide = Int(Int32.max)

    /// Parses the header. The first bytes determine the format, whatever the origin declared. Never traps on
    /// any bytes; reads at most `HeaderReader.budget` bytes.
    /// - Throws: `notAnImage` or `damaged`.
    package static func parse(_ source: some HeaderSource) throws(ImageHeaderError) -> ImageHeader {
        var reader = HeaderReader(source)
        return try parse(&reader)
    }

    /// Parses the header of a picture in memory.
    /// - Throws: `notAnImage` or `damaged`.
    package static func parse(_ bytes: [UInt8]) throws(ImageHeaderError) -> ImageHeader {
        try parse(HeaderBytes(bytes))
    }

    static func parse(_ reader: inout HeaderReader) throws(ImageHeaderError) -> ImageHeader {
        guard let format = ImageSignature.format(of: try reader.prefix(ImageSignature.length)) else {
            throw .notAnImage
        }
        let header = try parse(&reader, as: format)
        guard header.isPossible, !reader.isExhausted else { throw .damaged }
        return header
    }

    private static func parse(
        _ reader: inout HeaderReader, as format: ImageFormat
    ) throws(ImageHeaderError) -> ImageHeader {
        switch format {
        case .jpeg: try JPEGHeader.parse(&reader)
        case .png: try PNGHeader.parse(&reader)
        case .gif: try GIFHeader.parse(&reader)
        case .webp: try WebPHeader.parse(&reader)
        case .avif, .heic: try ISOMediaHeader.parse(&reader, as: format)
        case .tiff: try TIFFHeader.parse(&reader)
        case .bmp: try BMPHeader.parse(&reader)
        case .ico: try ICOHeader.parse(&reader)
        case .svg: try SVGHeader.parse(&reader)
        case .jxl: try JXLHeader.parse(&reader)
        case .pdf: ImageHeader(format: format, width: 0, height: 0)
        }
    }

    /// True if a file can have this header: sides that decoders can count (or none, if only the decoder finds
    /// them), at least one page, and a valid EXIF orientation.
    package var isPossible: Bool {
        let numbers = 1...Self.longestSide
        let isSizeless = width == 0 && height == 0 && format.isVector
        let hasSize = numbers.contains(width) && numbers.contains(height)
        return (isSizeless || hasSize) && numbers.contains(pages) && (1...8).contains(orientation)
    }
}
