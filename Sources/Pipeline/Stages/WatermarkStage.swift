// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// A watermark that the settings know by a name.
package enum NamedWatermark<Body: Sendable>: Sendable {
    /// Fetched and kept like every original.
    case remote(SourceURL)
    /// In hand since the start.
    case held(HeldWatermark<Body>)
}

/// A watermark of the settings, whose bytes are held as long as the daemon runs.
package struct HeldWatermark<Body: Sendable>: Sendable {
    let digest: OriginalDigest
    let header: ImageHeader
    let body: Body
    /// When it was read.
    let since: Timestamp

    package init(digest: OriginalDigest, header: ImageHeader, body: Body, since: Timestamp) {
        self.digest = digest
        self.header = header
        self.body = body
        self.since = since
    }
}

/// The watermark of a recipe, ready for use.
enum ResolvedWatermark<Body: Sendable>: Sendable {
    case held(HeldWatermark<Body>)
    /// Its bytes may lie in the cache still.
    case fetched(Arrival<Body>)

    var digest: OriginalDigest {
        switch self {
        case .held(let watermark): watermark.digest
        case .fetched(let arrival): arrival.original.digest
        }
    }

    var header: ImageHeader {
        switch self {
        case .held(let watermark): watermark.header
        case .fetched(let arrival): arrival.original.header
        }
    }
}

extension ResolvedWatermark {
    var modifiedBefore: Timestamp {
        switch self {
        case .held(let watermark): watermark.since
        case .fetched(let arrival): arrival.original.modifiedBefore
        }
    }
}

extension Original {
    /// Where the origin does not say when it was modified, that was before it came.
    fileprivate var modifiedBefore: Timestamp { lastModified ?? freshness.responseTime }
}

extension Pipeline {
    /// The watermark of the recipe; nil where it has none. It waits for the in-flight request of that original and holds none of
    /// its own meanwhile, as `answer` does for the picture.
    func resolvedWatermark(for request: PipelineRequest) async throws(PipelineFailure) -> ResolvedWatermark<
        Body
    >? {
        switch try watermark(of: request.recipe) {
        case nil: return nil
        case .held(let watermark): return .held(watermark)
        case .remote(let source):
            try refuseForbidden(source)
            return .fetched(
                try await original(
                    for: PipelineRequest(
                        source: source, recipe: Recipe(), priority: request.priority,
                        allowance: request.allowance, client: request.client)))
        }
    }

    /// The same as far as it is at hand, without asking an origin.
    func heldWatermark(for request: PipelineRequest) -> ResolvedWatermark<Body>? {
        switch try? watermark(of: request.recipe) {
        case nil: nil
        case .held(let watermark): .held(watermark)
        case .remote(let source):
            cache.original(source.key).map { .fetched(Arrival(original: $0, epoch: purges.epoch)) }
        }
    }

    private func watermark(of recipe: Recipe) throws(PipelineFailure) -> NamedWatermark<Body>? {
        guard let name = recipe.watermark?.source else { return nil }
        if let named = watermarks[name] { return named }
        guard name.contains("/"), let url = try? SourceURL.parse(name) else {
            throw PipelineFailure(.origin(.sourceRefused))
        }
        return .remote(url)
    }

    /// A picture made of two originals is as fresh as the one that goes first, was modified when the later one was, is
    /// kept where both may be, and goes when one of them is purged. A watermark in hand is good as long as the daemon runs.
    func bearing(_ watermark: ResolvedWatermark<Body>?, _ original: Arrival<Body>) -> Arrival<Body> {
        guard let watermark else { return original }
        var arrival = original
        arrival.original.lastModified = max(original.original.modifiedBefore, watermark.modifiedBefore)
        guard case .fetched(let mark) = watermark else { return arrival }
        arrival.watermark = mark.original.key
        let (now, freshness) = (environment.now(), mark.original.freshness)
        if freshness.secondsLeft(at: now) < original.original.freshness.secondsLeft(at: now) {
            arrival.original.freshness = freshness
        }
        arrival.isKept = original.isKept && mark.isKept
        arrival.epoch = min(original.epoch, mark.epoch)
        arrival.tags += mark.tags
        return arrival
    }

    /// The watermark for a decoder's job; nil: its bytes are gone.
    func picture(of watermark: ResolvedWatermark<Body>) async -> RenderJob<Body>.Picture? {
        switch watermark {
        case .held(let watermark):
            return RenderJob.Picture(
                digest: watermark.digest, header: watermark.header, body: watermark.body)
        case .fetched(let arrival):
            var body = arrival.body
            if body == nil { body = await cache.body(of: arrival.original) }
            let original = arrival.original
            return body.map {
                RenderJob.Picture(digest: original.digest, header: original.header, body: $0)
            }
        }
    }
}
