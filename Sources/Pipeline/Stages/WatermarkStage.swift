// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
internal import SourceURLs

extension Pipeline {
    /// The recipe's watermark; nil without one. The watermark's origin gets nothing of the client's. Waits for the in-flight request
    /// of the watermark's original, and holds no other meanwhile, as `answer` does for the picture.
    /// - Throws: if the watermark cannot be had.
    func resolvedWatermark(for request: PipelineRequest) async throws(PipelineFailure) -> ResolvedWatermark<
        Body
    >? {
        switch try watermark(of: request.recipe) {
        case nil: return nil
        case .held(let watermark): return .held(watermark)
        case .remote(let source):
            try refuseForbidden(source)
            var own = PipelineRequest(
                source: source, recipe: Recipe(), priority: request.priority,
                allowance: request.allowance, client: request.client)
            own.directives = request.directives
            let arrival = try await original(for: own)
            // The settings' limits may have changed since the original was kept.
            try refusing { () throws(DecodeFailure) in
                try configuration.pictures.check(arrival.original.header)
            }
            return .fetched(arrival)
        }
    }

    /// The watermark, if it is at hand without asking an origin; nil otherwise.
    func heldWatermark(for request: PipelineRequest) -> ResolvedWatermark<Body>? {
        switch try? watermark(of: request.recipe) {
        case nil: nil
        case .held(let watermark): .held(watermark)
        case .remote(let source):
            cache.original(source.bareKey).map { .fetched(Arrival(original: $0, epoch: purges.epoch)) }
        }
    }

    private func watermark(of recipe: Recipe) throws(PipelineFailure) -> NamedPicture<Body>? {
        guard let name = recipe.watermark?.source else { return nil }
        if let named = watermarks[name] { return named }
        guard name.contains("/"), let url = try? SourceURL.parse(name) else {
            throw PipelineFailure(.origin(.sourceRefused))
        }
        // The URL in the recipe's text has everything that the watermark's origin gets.
        return .remote(origin.keyed(url))
    }

    /// Combines two originals: the result is as fresh as the one that expires first, as recent as the later
    /// modification, is kept only if both may be kept, and is purged with either. A watermark in memory never
    /// expires.
    func bearing(_ watermark: ResolvedWatermark<Body>?, _ original: Arrival<Body>) -> Arrival<Body> {
        guard let watermark else { return original }
        var arrival = original
        arrival.original.lastModified = max(original.original.modifiedBefore, watermark.modifiedBefore)
        guard case .fetched(let mark) = watermark else { return arrival }
        arrival.watermark = mark.original
        arrival.original.freshness = original.original.freshness.joined(
            with: mark.original.freshness, at: environment.now())
        arrival.isKept = original.isKept && mark.isKept
        arrival.isStale = original.isStale || mark.isStale
        // Both come from the same original: if the store had one of the two originals, that must not be reported as a hit while the
        // origin was asked for the other.
        let isOfMark = original.forwarding == nil && (mark.forwarding != nil || original.store == nil)
        let told = isOfMark ? mark : original
        (arrival.forwarding, arrival.store) = (told.forwarding, told.store)
        arrival.times = original.times + mark.times
        arrival.epoch = min(original.epoch, mark.epoch)
        arrival.tags += mark.tags
        arrival.areTagsKnown = original.areTagsKnown && mark.areTagsKnown
        return arrival
    }

    /// The watermark for a decoder's job; nil if its bytes are gone.
    func picture(of watermark: ResolvedWatermark<Body>) async -> RenderJob<Body>.Picture? {
        switch watermark {
        case .held(let watermark):
            return RenderJob.Picture(
                digest: watermark.digest, header: watermark.header, body: watermark.body)
        case .fetched(let arrival):
            let original = arrival.original
            return await body(of: arrival).map {
                RenderJob.Picture(digest: original.digest, header: original.header, body: $0)
            }
        }
    }
}
