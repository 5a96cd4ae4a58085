// SPDX-License-Identifier: Apache-2.0

/// The formats that are told apart by their first bytes. Being known here does not mean being served.
///
/// The numbers and the names stand in the cache's files, and the names in recipes: neither changes.
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

    /// RFC 6838 media type.
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

    /// As settings and recipes call it.
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

    /// As files of it end.
    package var fileExtension: String { self == .jpeg ? "jpg" : name }

    package init?(name: String) {
        guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = format
    }

    /// The formats that are read where the settings name no others: those whose decoders are built for bytes that
    /// mean harm.
    package static let trusted: [ImageFormat] = [.jpeg, .png, .webp, .gif, .avif, .heic, .tiff]

    /// The formats that settings may name: all that the decoder has a reader for.
    package static let readable: Set<ImageFormat> = Set(trusted + [.svg, .jxl, .pdf, .bmp, .ico])

    /// The formats that a recipe may ask for, and that a source is answered in as it came.
    package static let writable: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif, .tiff, .jxl]

    /// Animations are read from it and written to it.
    package var canAnimate: Bool { self == .gif || self == .webp }

    /// Pixels a side that its encoder takes: libjpeg's JPEG_MAX_DIMENSION, libwebp's WEBP_MAX_DIMENSION,
    /// GIF's and AVIF's 16-bit fields; PNG could hold more, but nothing shows it.
    package var longestSide: Int {
        switch self {
        case .jpeg: 65_500
        case .webp: 16_383
        default: 65_535
        }
    }
}
