// SPDX-License-Identifier: Apache-2.0
//
// The options of `/info`, imgproxy Pro's description of a picture. Pictor reports what it knows from the header for every picture;
// colours and BlurHash need the pixels, and are reported only if asked for.

internal import Recipes
internal import RequestGrammar
internal import SourceURLs

struct ImgproxyInfo {
    private(set) var extras: JSONExtras = []
    private(set) var page = 0
    /// The expiry as unix time in seconds; nil for none.
    private(set) var expiry: Int64?
    private let source: ImgproxySource

    init(_ path: ImgproxyPath, _ rules: ImgproxyRules) throws(ImgproxyRefusal) {
        var segments = path.text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        var options: [ImgproxyOption] = []
        // If URLs name presets only, `/info` has no options.
        while !rules.onlyPresets, let segment = segments.first,
            let option = ImgproxyOption(segment, rules.separator)
        {
            options.append(option)
            segments = segments.dropFirst()
        }
        source = try ImgproxySource(segments, rules)
        for option in options { try take(option.name, ImgproxyArguments(option)) }
    }

    var request: ImageRequest {
        var recipe = Recipe()
        recipe.output = .json
        recipe.jsonExtras = extras
        recipe.page = page
        var asked = ImageRequest(source: source.url, recipe: recipe)
        asked.hidesSource = source.isHidden
        return asked
    }

    private mutating func take(_ name: String, _ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        switch name {
        // These are reported in any case.
        case "size", "s", "format", "f", "dimensions", "d", "colorspace", "cs", "bands", "b", "sample_format",
            "sf", "pages_number", "pn":
            break
        case "alpha", "a":
            try mustNot(arguments.dropFirst(), "Pictor tells whether there is an alpha channel.")
        case "exif", "iptc", "xmp":
            try mustNot(arguments, "It may tell where the camera was.")
        case "video_meta", "vm": try mustNot(arguments, "Pictor reads no videos.")
        case "average", "avg": tell(.average, if: arguments.flag())
        case "blurhash", "bh": try takeBlurHash(arguments)
        case "thumb_hash", "th": tell(.thumbhash, if: arguments.flag())
        case "page", "pg": page = try arguments.integer(0...100_000)
        case "cachebuster", "cb": break
        case "expires", "exp": expiry = try arguments.time()
        case "detect_objects", "do", "classify", "cl", "phash", "ph", "calc_hashsums", "chs", "crop", "c",
            "palette", "p", "dominant_colors", "dc":
            try mustNot(arguments, "Pictor tells the average colour, a BlurHash and a ThumbHash.")
        case "http", "https": throw .badEncoding
        default:
            throw .unsupported(
                option: name,
                reason:
                    "Options of /info are average, blurhash, thumb_hash, alpha, page, cachebuster and expires, and those of what is told in any case."
            )
        }
    }

    private mutating func tell(_ extra: JSONExtras, if isWanted: Bool) {
        if isWanted { extras.insert(extra) } else { extras.remove(extra) }
    }

    private mutating func takeBlurHash(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let terms = arguments.texts
        guard [["0", "0"], ["0"], ["4", "3"]].contains(terms) else {
            throw arguments.refusal("4:3 terms, or 0:0")
        }
        tell(.blurhash, if: terms == ["4", "3"])
    }

    /// Checks that an option is off, because Pictor cannot report what it asks for.
    private func mustNot(_ arguments: ImgproxyArguments, _ reason: String) throws(ImgproxyRefusal) {
        let isOff = arguments.texts.allSatisfy { ["", "0", "f", "false", "ce"].contains($0) }
        if !isOff { throw .unsupported(option: arguments.name, reason: reason) }
    }
}
