// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageModel

extension ImageFormat {
    /// Nil where libvips has no loader of its own.
    var loader: cvips_loader? {
        switch self {
        case .jpeg: CVIPS_JPEG
        case .png: CVIPS_PNG
        case .webp: CVIPS_WEBP
        case .gif: CVIPS_GIF
        case .avif, .heic: CVIPS_HEIF
        case .tiff: CVIPS_TIFF
        case .svg: CVIPS_SVG
        case .jxl: CVIPS_JXL
        case .pdf: CVIPS_PDF
        case .bmp, .ico: nil
        }
    }
}
