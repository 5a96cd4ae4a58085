// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
internal import JSON
package import Kernel
package import Pipeline
package import Recipes
package import RequestGrammar
internal import SourceURLs

/// A description of a picture, as JSON: of the recipe's result if the recipe names a size, otherwise of the
/// original.
package struct PictureReport {
    /// The answer whose picture is described.
    package let answer: Answer<Body>
    /// Metadata of the original.
    package let details: ImageDetails
    /// The original's header, with the size of the page that is described.
    package let shown: ImageHeader
    /// The request, which selects the extras.
    package let request: ImageRequest
    /// Facts computed from the pixels; nil unless the request asks for them.
    package let pixels: PixelFacts?
    /// Widths of `srcset` in pixels; empty = the usual ones.
    package let widths: [Int]
    /// The largest size that `srcset` may name.
    package let limit: SizeLimit
    /// The URL of this daemon for a query of the native dialect, with the signature that it needs.
    package let link: (_ query: String) -> String

    /// Parameters as in the properties.
    package init(
        answer: Answer<Body>, details: ImageDetails, shown: ImageHeader, request: ImageRequest,
        pixels: PixelFacts?, widths: [Int], limit: SizeLimit, link: @escaping (_ query: String) -> String
    ) {
        self.answer = answer
        self.details = details
        self.shown = shown
        self.request = request
        self.pixels = pixels
        self.widths = widths
        self.limit = limit
        self.link = link
    }

    private var header: ImageHeader { answer.original.header }

    /// The description, with its members named by `words`.
    package func json(_ words: ReportWords) -> String { JSONText.object(members(words)) + "\n" }

    private typealias Members = [(String, JSONText.Value)]

    private func members(_ words: ReportWords) -> Members {
        switch words.form {
        case .whole: whole(words)
        case .originalApart: size + [("original", .object(original(words)))]
        case .short: short(words)
        case .typed: typed(words)
        case .sourceAndTarget:
            [("thumbor", .object([("source", .object(source)), ("target", .object(size))]))]
        }
    }

    /// The size of the result.
    private var size: Members { sides(answer.rendition.width, answer.rendition.height) }

    /// The size of the original, upright.
    private var originalSize: Members { sides(header.upright.width, header.upright.height) }

    private func sides(_ width: Int, _ height: Int) -> Members {
        [("width", .number(width)), ("height", .number(height))]
    }

    private func short(_ words: ReportWords) -> Members {
        [("format", .text(words.format(header.format))), ("size", .number(answer.original.length))]
            + size
            + [
                ("mime_type", .text(header.format.mediaType)), ("orientation", .number(header.orientation)),
                ("colorspace", .text(details.space.rawValue)), ("bands", .number(details.channels)),
                ("sample_format", .text(details.depth.rawValue)), ("pages_number", .number(header.pages)),
                ("alpha", .flag(header.hasAlpha)),
            ] + (pixels?.channelMembers ?? [])
    }

    private func typed(_ words: ReportWords) -> Members {
        [("format", .text(words.format(header.format))), ("content_type", .text(header.format.mediaType))]
            + size
            + [
                // The size is given upright, so the orientation is 1.
                ("orientation", .number(1)), ("pages", .number(header.pages)),
                ("bands", .number(details.channels)), ("exif", .object([])),
            ] + (pixels?.typedMembers ?? [])
    }

    private func whole(_ words: ReportWords) -> Members {
        let frames = words.countsAllFrames ? request.recipe.framesTaken(from: header) : 1
        var members: Members = [
            ("format", .text(words.format(header.format))),
            ("width", .number(answer.rendition.width)),
            ("height", .number(Int(saturatingProduct: answer.rendition.height, frames))),
            ("space", .text(details.space.rawValue)), ("channels", .number(details.channels)),
            ("depth", .text(details.depth.rawValue)),
        ]
        if let density = details.density { members.append(("density", .number(density))) }
        if let chroma = details.chromaSubsampling { members.append(("chromaSubsampling", .text(chroma))) }
        members.append((words.progressive, .flag(details.isProgressive)))
        if let bits = details.paletteBits { members.append(("paletteBitDepth", .number(bits))) }
        members += pages
        if words.tellsPrimary, header.format == .avif || header.format == .heic {
            members.append(("pagePrimary", .number(0)))
        }
        members.append((words.profile, profile(words)))
        members.append((words.alpha, .flag(header.hasAlpha)))
        members.append(("orientation", .number(header.orientation)))
        members += pixels?.members ?? []
        if request.recipe.jsonExtras.contains(.srcset) { members.append(("srcset", .text(srcset))) }
        return members
    }

    private func original(_ words: ReportWords) -> Members {
        [("file_size", .number(answer.original.length))] + originalSize
            + [("format", .text(words.format(header.format)))]
    }

    /// The source, without its URL if the request hides that.
    private var source: Members {
        let url: Members = request.hidesSource ? [] : [("url", .text(request.toldSource.absolute))]
        return url + originalSize + [("frameCount", .number(header.pages))]
    }

    /// The pages; for an animation with their size and their delays.
    private var pages: Members {
        guard header.pages > 1 else { return [] }
        var members: Members = [("pages", .number(header.pages))]
        guard header.format.canAnimate else { return members }
        members.append(("pageHeight", .number(answer.rendition.height)))
        if let loop = request.recipe.loop ?? details.loop { members.append(("loop", .number(loop))) }
        members.append(("delay", .numbers(delays)))
        return members
    }

    /// The delays of the result's frames; if the result is a still, those of all the original's frames.
    private var delays: [Int] {
        var recipe = request.recipe
        if recipe.pages == 1 { (recipe.pages, recipe.page) = (-1, 0) }
        return recipe.delays(
            of: min(recipe.framesTaken(from: header), ImageDetails.mostDelays), from: details.delays)
    }

    /// The profile's name if there is a readable one; otherwise whether there is a profile.
    private func profile(_ words: ReportWords) -> JSONText.Value {
        if let name = details.profile, words.namesProfile { return .text(name) }
        return .flag(details.hasProfile)
    }

    /// Widths in pixels of phones, tablets and desktops, at one and two pixels per point. Widths above the picture's own are left
    /// out.
    private static let usualWidths = [320, 480, 640, 768, 960, 1_280, 1_536, 1_920, 2_560, 3_840]

    /// The value of `<img srcset=…>`, with URLs of this daemon. Aliases are named as in the request, because only the settings say
    /// where they lead.
    private var srcset: String {
        let whole = shown.upright.width
        let largest = min(whole, widths.last ?? Recipe.Length.pixelRange.upperBound)
        let smaller = (widths.isEmpty ? Self.usualWidths : widths).filter { $0 < largest }
        let source = request.toldSource.escapedForQuery
        var (entries, told): ([String], Set<Int>) = ([], [])
        for width in smaller + [largest] {
            let recipe = limit.bounding(request.recipe.shown(at: width, of: shown))
            // A crop or a turn changes the width of the result.
            let result = recipe.resultSize(for: shown).width
            guard told.insert(result).inserted else { continue }
            entries.append("\(link("url=\(source)&\(request.told(recipe).canonical)")) \(result)w")
        }
        return entries.joined(separator: ", ")
    }
}
