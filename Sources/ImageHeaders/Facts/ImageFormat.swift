// SPDX-License-Identifier: Apache-2.0

/// The formats that are recognised by their first bytes; settings decide which of them are served.
///
/// The cache's files contain the numbers and the names, and recipes contain the names, so neither may change.
package enum ImageFormat: UInt8, Sendable, Hashable, CaseIterable {
    case jpeg = 1
    case png = 2
    case webp = 3
    case gif = 4
    case avif = 5
    case heic = 6
    case tiff = 7
    case svg = 8
    case jxl = 9
    case bmp = 10
    case ico = 11
    case pdf = 12

    /// The media type (RFC 6838).
    package var mediaType: String {
        switch self {
        case .jpeg: "image/jpeg"
        case .png: "image/png"
        case .webp: "image/webp"
        case .gif: "image/gif"
        case .avif: "image/avif"
        case .heic: "image/heic"
        case .tiff: "image/tiff"
        case .svg: "image/svg+xml"
        case .jxl: "image/jxl"
        case .bmp: "image/bmp"
        case .ico: "image/x-icon"
        case .pdf: "application/pdf"
        }
    }

    /// The name in settings and recipes.
    package var name: String {
        switch self {
        case .jpeg: "jpeg"
        case .png: "png"
        case .webp: "webp"
        case .gif: "gif"
        case .avif: "avif"
        case .heic: "heic"
        case .tiff: "tiff"
        case .svg: "svg"
        case .jxl: "jxl"
        case .bmp: "bmp"
        case .ico: "ico"
        case .pdf: "pdf"
        }
    }

    /// The usual file name extension, without a dot.
    package var fileExtension: String { self == .jpeg ? "jpg" : name }

    /// Nil for an unknown name.
    package init?(name: String) {
        guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The formats that are decoded unless the settings say otherwise: their decoders are built for hostile
    /// input.
    package static let trusted: [ImageFormat] = [.jpeg, .png, .webp, .gif, .avif, .heic, .tiff, .bmp, .ico]

    /// The formats that settings may enable: all that the decoder can read.
    package static let readable: Set<ImageFormat> = Set(trusted + [.svg, .jxl, .pdf])

    /// The formats that a recipe may ask for. A source in one of them keeps its own format. The order is that of the names in
    /// the reference.
    package static let writable: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif, .tiff, .jxl]

    /// True if animations are read from and written to the format.
    package var canAnimate: Bool { self == .gif || self == .webp }

    /// True for drawings and documents, which have no pixels of their own and are rendered at any size.
    package var isVector: Bool { self == .svg || self == .pdf }

    /// The longest side that the encoder accepts, in pixels: libjpeg's JPEG_MAX_DIMENSION, libwebp's WEBP_MAX_DIMENSION, and
    /// 16-bit fields for GIF. PNG could hold more, but no program shows it. AVIF's is the longest side that the decoder here
    /// opens; libavif accepts twice as much.
    package var longestSide: Int {
        switch self {
        case .jpeg: 65_500
        case .webp: 16_383
        case .avif: 16_384
        default: 65_535
        }
    }
}
