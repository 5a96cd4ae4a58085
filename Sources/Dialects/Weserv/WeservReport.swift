// SPDX-License-Identifier: Apache-2.0

package import Answers
internal import ImageHeaders

extension ReportWords {
    /// weserv's names for the members of `output=json`.
    package static var weserv: ReportWords {
        ReportWords(
            progressive: "isProgressive", profile: "hasProfile", alpha: "hasAlpha", namesProfile: false,
            countsAllFrames: true, format: loader, tellsPrimary: true)
    }

    /// weserv's names for the loaders (`image_type_id`).
    private static func loader(_ format: ImageFormat) -> String {
        switch format {
        case .avif, .heic: "heif"
        case .bmp, .ico, .jxl: "magick"
        case .jpeg, .png, .webp, .gif, .tiff, .svg, .pdf: format.name
        }
    }
}
