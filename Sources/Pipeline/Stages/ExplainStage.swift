// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
internal import SourceURLs

/// The pipeline's knowledge of a request, and its forecast for it.
package struct Explanation: Sendable {
    /// The held original, if there is one.
    package struct Held: Sendable {
        package var original: Original
        /// Nil: they vanished meanwhile.
        package var fields: StoredFields?
        /// Why no such picture can be made of it.
        package var refusal: DecodeFailure?
        /// As it comes out for this picture: its format is definite.
        package var recipe: Recipe
        package var key: RenditionKey
        /// The rendition, where it is held; `isInMemory`: in memory.
        package var rendition: (rendition: Rendition, isInMemory: Bool)?
        /// How many strangers had made of it within the last hour.
        package var renditionsThisHour = 0
    }

    package var now: Timestamp
    package var held: Held?
    /// Remembered, and answered as long as that lasts.
    package var failure: PipelineFailure?
    /// How its origin fares.
    package var health: HostHealthTable.Status
    /// The original is being fetched for a request.
    package var isFetching = false
    package var isRendering = false
    /// The word that the answer would carry, if the origin answered as it did when it was asked last.
    package var outcome: Outcome
    /// The answer would wait for the origin: it would be asked, or is being asked.
    package var waitsForOrigin: Bool
    package var why: String
}

extension Pipeline {
    /// Asks no origin and makes nothing. It counts as a use of the pictures that it finds.
    package func explain(_ request: PipelineRequest) async -> Explanation {
        let original = await heldOriginal(request.source.key)
        // Looked at once, so that the numbers beside the decision are those that it was made of.
        let circumstances = circumstances(of: request, isHeld: original != nil)
        var forecast = Forecast(
            original: OriginalDecision(holding: original, request.directives, at: environment.now()) {
                circumstances
            })
        var held: Explanation.Held?
        if let original {
            let (found, rendition) = await examine(original, for: request)
            held = found
            forecast.rendition = rendition
            forecast.renditionsThisHour = found.renditionsThisHour
        }
        let status = health.status(of: request.source.origin)
        forecast.rest = status
        return Explanation(
            now: environment.now(), held: held, failure: circumstances.knownFailure ?? forecast.knownFailure,
            health: status, isFetching: circumstances.isInFlight,
            isRendering: held.map { renditions.isInFlight($0.key) } ?? false, outcome: forecast.outcome,
            waitsForOrigin: forecast.waitsForOrigin, why: forecast.why)
    }

    /// - Returns: with the decision on the rendition; nil where none would be made (`output=json`).
    private func examine(
        _ original: Original, for request: PipelineRequest
    ) async -> (Explanation.Held, RenditionDecision?) {
        let watermark = heldWatermark(for: request)
        var planned = PlannedRendition(
            key: renditionKey(original.digest, request.recipe.folded), recipe: request.recipe.folded,
            original: original)
        var refusal: DecodeFailure?
        do throws(DecodeFailure) { planned = try plan(request, from: original, watermark) } catch {
            refusal = error
        }
        var found = await cache.rendition(planned.key)
        // As `rendition(from:)` does: a rendition that came out bigger than the original is tried in the original's format.
        if let bigger = found, bigger.rendition.length > original.length,
            let own = planInOwnFormat(request, from: original)
        {
            planned = own
            found = await cache.rendition(own.key)
        }
        let held = Explanation.Held(
            original: original, fields: await cache.fields(of: original), refusal: refusal,
            recipe: planned.recipe, key: planned.key, rendition: found.map { ($0.rendition, $0.inMemory) },
            renditionsThisHour: renditionsThisHour(of: original))
        if request.recipe.output == .json { return (held, nil) }
        return (
            held,
            refusal.map { RenditionDecision(refusing: $0) }
                ?? decide(planned, for: request, heldInMemory: found?.inMemory)
        )
    }
}
