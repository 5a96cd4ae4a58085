// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders

extension ImageFormat {
    /// Nil if libvips is not needed. An icon may hold a PNG.
    var loader: cvips_loader? {
        switch self {
        case .jpeg: CVIPS_JPEG
        case .png, .ico: CVIPS_PNG
        case .webp: CVIPS_WEBP
        case .gif: CVIPS_GIF
        case .avif, .heic: CVIPS_HEIF
        case .tiff: CVIPS_TIFF
        case .svg: CVIPS_SVG
        case .jxl: CVIPS_JXL
        case .pdf: CVIPS_PDF
        case .bmp: nil
        }
    }
}
