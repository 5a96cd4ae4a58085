// SPDX-License-Identifier: Apache-2.0

/// A segment before the source: a name and its arguments.
struct ImgproxyOption: Sendable {
    /// The name as written, long or short.
    let name: String
    /// At least one; each may be empty.
    let arguments: [String]

    /// Nil for a segment without a separator, which begins the source.
    init?(_ segment: some StringProtocol, _ separator: Character) {
        let parts = String(segment).split(separator: separator, omittingEmptySubsequences: false)
            .map(String.init)
        guard parts.count > 1 else { return nil }
        name = parts[0]
        arguments = Array(parts.dropFirst())
    }

    /// Options that have a counterpart in Pictor, by their long names.
    enum Kind: String, CaseIterable {
        case resize, size
        case resizingType = "resizing_type"
        case width, height, zoom, dpr, enlarge, extend, gravity, crop, trim, rotate, flip
        case autoRotate = "auto_rotate"
        case background, blur, sharpen, watermark
        case stripMetadata = "strip_metadata"
        case keepCopyright = "keep_copyright"
        case stripColorProfile = "strip_color_profile"
        case preserveHDR = "preserve_hdr"
        case enforceThumbnail = "enforce_thumbnail"
        case quality
        case formatQuality = "format_quality"
        case format, raw, cachebuster, expires, filename
        case returnAttachment = "return_attachment"
        case preset
        case maxBytes = "max_bytes"
        case minWidth = "min-width"
        case minHeight = "min-height"
        case padding, pixelate
        case skipProcessing = "skip_processing"
        case extendAspectRatio = "extend_aspect_ratio"
        case maxAnimationFrames = "max_animation_frames"
        case maxSourceResolution = "max_src_resolution"
        case maxSourceFileSize = "max_src_file_size"
        case maxFrameResolution = "max_animation_frame_resolution"
        case maxResultDimension = "max_result_dimension"
        // Options of imgproxy Pro.
        case adjust, brightness, contrast, saturation, duotone, page
        case backgroundAlpha = "background_alpha"
        case disableAnimation = "disable_animation"
        case resizingAlgorithm = "resizing_algorithm"
        case watermarkURL = "watermark_url"
    }

    /// The option; nil if Pictor has no counterpart.
    var kind: Kind? { Self.shortNames[name] ?? Kind(rawValue: name) }

    private static let shortNames: [String: Kind] = [
        "rs": .resize, "s": .size, "rt": .resizingType, "w": .width, "h": .height, "z": .zoom,
        "el": .enlarge, "ex": .extend, "g": .gravity, "c": .crop, "t": .trim, "rot": .rotate, "fl": .flip,
        "ar": .autoRotate, "bg": .background, "bl": .blur, "sh": .sharpen, "wm": .watermark,
        "sm": .stripMetadata, "kcr": .keepCopyright, "scp": .stripColorProfile, "ph": .preserveHDR,
        "eth": .enforceThumbnail, "q": .quality, "fq": .formatQuality, "f": .format, "ext": .format,
        "cb": .cachebuster, "exp": .expires, "fn": .filename, "att": .returnAttachment, "pr": .preset,
        "mb": .maxBytes, "mw": .minWidth, "mh": .minHeight, "pd": .padding, "pix": .pixelate,
        "skp": .skipProcessing, "extend_ar": .extendAspectRatio, "exar": .extendAspectRatio,
        "maf": .maxAnimationFrames, "msr": .maxSourceResolution, "msfs": .maxSourceFileSize,
        "mafr": .maxFrameResolution, "mrd": .maxResultDimension, "a": .adjust, "br": .brightness,
        "co": .contrast, "sa": .saturation, "dt": .duotone, "pg": .page, "bga": .backgroundAlpha,
        "da": .disableAnimation, "ra": .resizingAlgorithm, "wmu": .watermarkURL,
    ]

    /// The long names, for refusals.
    static let names = Kind.allCases.map(\.rawValue).sorted()

    /// Why an option of imgproxy's is not supported, as a sentence; nil for a name that is not imgproxy's.
    static func reason(against name: String) -> String? { reasons[name] }

    private static let reasons: [String: String] = {
        var reasons: [String: String] = [:]
        for (names, reason) in unsupported { for name in names { reasons[name] = reason } }
        return reasons
    }()

    private static let unsupported: [([String], String)] = [
        (
            [
                "video_thumbnail_second", "vts", "video_thumbnail_keyframes", "vtk", "video_thumbnail_tile",
                "vtt", "video_thumbnail_animation", "vta",
            ], "Pictor reads no videos."
        ),
        (
            [
                "objects_position", "obj_pos", "op", "blur_detections", "bd", "draw_detections", "dd",
                "crop_objects",
            ], "Pictor finds no objects; gravity:sm keeps what draws the eye."
        ),
        (["autoquality", "aq"], "Give a quality; q=auto is an option of /img."),
        (
            [
                "jpeg_options", "jpgo", "png_options", "pngo", "webp_options", "webpo", "avif_options",
                "avifo",
            ], "How files are written is up to the settings (encoder)."
        ),
        (
            [
                "watermark_text", "wmt", "watermark_size", "wms", "watermark_rotate", "wm_rot", "wmr",
                "watermark_shadow", "wmsh",
            ], "The watermark is a picture, with position, opacity and scale."
        ),
        (
            [
                "crop_aspect_ratio", "crop_ar", "car", "monochrome", "mc", "unsharp_masking", "unsharp_mask",
                "ush", "blur_areas", "ba", "progressive_blur", "pbl", "colorize", "col", "gradient", "gr",
                "style", "st", "dpi", "color_profile", "cp", "icc", "pages", "pgs", "fallback_image_url",
                "fiu", "bypass_cache", "bc", "cache_tags", "ct", "hashsum", "hs",
            ], "Pictor has nothing like it; it is one of imgproxy Pro."
        ),
    ]
}
