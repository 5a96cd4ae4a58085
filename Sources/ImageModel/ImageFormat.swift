// SPDX-License-Identifier: Apache-2.0

/// The formats that are told apart by their first bytes. Being known here does not mean being served.
package enum ImageFormat: UInt8, Sendable, Hashable, CaseIterable {
    case jpeg = 1
    case png, webp, gif, avif, heic, tiff, svg, jxl, bmp, ico, pdf

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
}
