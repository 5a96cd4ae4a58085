// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

/// How a rendition is made: everything except the original's bytes. Originals with equal headers share a plan.
///
/// A class and no struct, because a recipe is large, and a plan is handed from stage to stage.
final class RenditionPlan: Sendable {
    /// The engine settings in the rendition's key.
    let engine: EngineVersion
    /// The recipe, resolved for the header.
    let recipe: Recipe
    /// The engine settings and the recipe, as the key names them.
    let making: [UInt8]

    /// - Parameter recipe: must be resolved, but may still ask for features that the picture lacks.
    init(_ recipe: Recipe, of header: ImageHeader, by engine: EngineVersion) {
        self.engine = engine
        self.recipe = recipe.keeping(onlyWhatIsIn: header)
        making = RenditionKey.making(of: header.format, by: self.recipe, engine)
    }
}

extension RenditionPlan {
    /// All that a plan depends on beside the settings. The limits of the request's own URL are left out, because they are checked for
    /// each request.
    struct Inputs: Sendable, Hashable {
        private struct Watermark: Sendable, Hashable {
            let digest: OriginalDigest
            let header: ImageHeader
        }

        private let header: ImageHeader
        private let accepted: AcceptClass
        /// True if the limits for strangers hold as well.
        private let isForStranger: Bool
        private let box: RecipeBox
        private var asked: Recipe { box.recipe }
        private let terms: RequestTerms
        private let watermark: Watermark?

        init<Body>(
            _ request: PipelineRequest, for header: ImageHeader, _ watermark: ResolvedWatermark<Body>?
        ) {
            self.header = header
            (accepted, isForStranger) = (request.accepted, !request.isVouchedFor)
            box = request.boxedRecipe
            var terms = request.terms
            terms.limits = .none
            self.terms = terms
            self.watermark = watermark.map { Watermark(digest: $0.digest, header: $0.header) }
        }

        /// Leaves out fields that seldom differ between inputs that are otherwise equal.
        func hash(into hasher: inout Hasher) {
            hasher.combine(box)
            hasher.combine(header.width)
            hasher.combine(header.height)
            hasher.combine(accepted.rawValue)
            hasher.combine(terms)
        }
    }
}

extension RenditionPlan.Inputs {
    /// The recipe resolved for the picture. Requests share a rendition if they differ only in features that the picture lacks, such
    /// as frames that it does not have, or in the name of the picture's own format.
    /// - Throws: if the page does not exist, or if an SVG is wanted of a picture that is none.
    func definite(
        within limits: PictureLimits, _ encoders: EncoderDefaults
    ) throws(DecodeFailure) -> Recipe {
        if asked.output == .raw { return .raw }
        if terms.wantsDrawing, header.format != .svg { throw .outputNotAllowed(.svg) }
        if let drawing = asked.drawing(of: header) { return drawing }
        var recipe = terms.fitting(asked, to: header)
        recipe.keepsDrawing = false
        if recipe.handsOn(header, by: terms.defaultFormat) { return .raw }
        recipe = recipe.resolvingSource(by: terms.defaultFormat, for: header)
        if recipe.output == .auto {
            recipe = recipe.resolvingAuto(
                avif: accepted.contains(.avif) && !accepted.contains(.webpFirst),
                webp: accepted.contains(.webp), jxl: accepted.takesJXL,
                usual: terms.defaultFormat, header: header)
        }
        guard let page = recipe.pageTaken(from: header) else { throw .noSuchPage(pages: header.pages) }
        recipe.page = page
        if recipe.output == .json { return recipe.inspection }
        if recipe.handsOn(header) { return .raw }
        recipe.asIs = []
        recipe.output = .format(recipe.resolvedOutput(for: header))
        if recipe.framesTaken(from: header) == 1 { recipe.pages = 1 }
        // The key depends on the watermark's bytes, not on its name.
        if let watermark { recipe.watermark?.source = watermark.digest.digest.hex }
        recipe = recipe.canonicalised
            .limitingAVIF(
                to: limits.avifPixels, shapes: recipe.shapes(of: header),
                qualities: asked.quality == nil ? asked.formatQualities : [:]
            )
            .saving(to: terms.qualityPercent, of: encoders)
        let mayBeWebP = asked.output == .auto && accepted.contains(.webp)
        return mayBeWebP ? recipe.allowingExact(for: header) : recipe
    }

    /// Checks the settings' limits.
    /// - Parameter recipe: the recipe that `definite` returned.
    /// - Throws: the first limit that the rendition exceeds.
    func check(_ recipe: Recipe, within limits: PictureLimits) throws(DecodeFailure) {
        try limits.check(header, for: recipe, watermark: watermark?.header, isForStranger: isForStranger)
    }
}
