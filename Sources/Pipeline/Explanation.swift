// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageModel

/// What is known here of a request, and what would become of it now.
package struct Explanation: Sendable {
    /// What is held of the original, where it is.
    package struct Held: Sendable {
        package var original: Original
        /// Nil: they vanished meanwhile.
        package var fields: StoredFields?
        package var state: Freshness.State
        /// Why no such picture can be made of it.
        package var refusal: DecodeFailure?
        /// As it comes out for this picture: its format is definite.
        package var recipe: Recipe
        package var key: RenditionKey
        /// The rendition, where it is held; `isNear`: in memory.
        package var rendition: (rendition: Rendition, isNear: Bool)?
        /// How many strangers had made of it within the last hour, and whether one more is refused to them.
        package var renditionsThisHour = 0
        package var isOverCap = false
    }

    package var now: Timestamp
    package var held: Held?
    /// Remembered, and answered as long as that lasts.
    package var failure: PipelineFailure?
    /// How its origin fares.
    package var health: HostHealthTable.Status
    /// The original is being fetched for somebody.
    package var isFetching = false
    package var isRendering = false
    /// The word that the answer would carry, if the origin answered as it did when it was asked last.
    package var outcome: Outcome
    package var why: String
}

extension Pipeline {
    /// Looks without asking anybody and without making anything. It counts as a use of what it finds.
    package func explain(_ request: PipelineRequest) async -> Explanation {
        let now = environment.now()
        var explanation = Explanation(
            now: now, health: health.status(of: request.source.origin), outcome: .rendered, why: "")
        explanation.isFetching = originals.isFlying(request.source.key)
        explanation.failure = failures.failure(about: .origin(request.source.key), now: environment.ticks())
        if let original = shelf.original(request.source.key) {
            let held = await examine(original, for: request, at: now)
            explanation.isRendering = renditions.isFlying(held.key)
            explanation.held = held
            if case .fresh = held.state {
                let ticks = environment.ticks()
                explanation.failure =
                    failures.failure(about: .content(original.digest, pages: held.recipe.pages), now: ticks)
                    ?? failures.failure(about: .rendition(held.key), now: ticks)
            }
        }
        (explanation.outcome, explanation.why) = explanation.forecast
        return explanation
    }

    func examine(
        _ original: Original, for request: PipelineRequest, at now: Timestamp
    ) async -> Explanation.Held {
        var recipe = request.recipe.folded
        var refusal: DecodeFailure?
        do throws(DecodeFailure) {
            let stamp = heldStamp(for: request)
            recipe = try definite(request, for: original.header, stamp)
            try configuration.pictures.check(original.header, for: recipe, watermark: stamp?.header)
        } catch {
            refusal = error
        }
        let key = renditionKey(original.digest, recipe)
        var held = Explanation.Held(
            original: original, fields: await shelf.fields(of: original),
            state: original.freshness.state(at: now), recipe: recipe, key: key)
        held.rendition = await shelf.rendition(key).map { ($0.rendition, $0.near) }
        held.refusal = refusal
        (held.renditionsThisHour, held.isOverCap) = cap(key, of: original)
        return held
    }
}

extension Explanation {
    fileprivate var forecast: (Outcome, String) {
        guard let held else {
            if failure != nil { return (.negative, "Its origin failed a moment ago; that is remembered.") }
            if isResting { return (.refused, "Nothing is held, and \(restWords).") }
            return isFetching
                ? (.coalesced, "Nothing is held, and a fetch is under way that it would join.")
                : (.rendered, "Nothing is held: it would be fetched and rendered.")
        }
        switch held.state {
        case .fresh(let seconds):
            return shelfForecast(held, prefix: "The original is fresh for \(seconds) s more")
        case .stale(let seconds, mayServeWhileRevalidating: true, _):
            return (
                .stale,
                "The original is stale since \(seconds) s: served as it is, and refreshed in the background."
            )
        case .stale(let seconds, _, let mayServeOnError):
            if failure != nil, mayServeOnError {
                return (.stale, "Its origin failed a moment ago, and the stale original stands in.")
            }
            if failure != nil { return (.negative, "Its origin failed a moment ago; that is remembered.") }
            if isResting {
                return mayServeOnError
                    ? (.stale, "The stale original stands in, because \(restWords).")
                    : (.refused, "The original is stale since \(seconds) s, and \(restWords).")
            }
            if isFetching { return (.coalesced, "Its origin is being asked; it would wait for that.") }
            let since =
                held.original.freshness.flags.contains(.alwaysValidate)
                ? "asked about every time (no-cache)" : "stale since \(seconds) s"
            let then = held.rendition == nil ? "rendered" : "served as it is"
            return (
                held.rendition == nil ? .rendered : .revalidated,
                "The original is \(since): its origin would be asked; unchanged, it would be \(then)."
            )
        }
    }

    /// Its origin would not be asked now.
    private var isResting: Bool { health.state == .probing || health.seconds > 0 }

    private var restWords: String {
        if health.state == .probing { return "its origin is being asked by another whether it is well again" }
        let whom = health.clients.map { " for \($0 == 1 ? "one client" : "\($0) clients")" } ?? ""
        return "its origin, which failed again and again, is left alone for \(health.seconds) s more\(whom)"
    }

    private func shelfForecast(_ held: Held, prefix: String) -> (Outcome, String) {
        if held.refusal != nil { return (.refused, "\(prefix), but no such picture may be made of it.") }
        if let (_, isNear) = held.rendition {
            return isNear
                ? (.memoryHit, "\(prefix), and the rendition is in memory.")
                : (.diskHit, "\(prefix), and the rendition is on disk.")
        }
        if failure != nil { return (.negative, "\(prefix), but making this failed a moment ago.") }
        if held.isOverCap {
            return (
                .refused,
                "\(prefix), but \(held.renditionsThisHour) renditions were made of it within an hour."
            )
        }
        return isRendering
            ? (.coalesced, "\(prefix), and the rendition is being made.")
            : (.rendered, "\(prefix); the rendition would be made.")
    }
}
