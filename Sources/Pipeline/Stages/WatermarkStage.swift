// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// A picture that the settings name: a watermark, or the fallback.
package enum NamedWatermark<Body: Sendable>: Sendable {
    /// Fetched and kept like every original.
    case remote(SourceURL)
    /// In memory since the start.
    case held(HeldWatermark<Body>)
}

/// A picture of the settings, whose bytes are in memory as long as the daemon runs.
package struct HeldWatermark<Body: Sendable>: Sendable {
    let digest: OriginalDigest
    /// Bytes.
    let length: Int
    let header: ImageHeader
    let body: Body
    /// When it was read.
    let since: Timestamp

    /// `header`, `digest` and `length` must be those of `body`.
    package init(
        digest: OriginalDigest, length: Int, header: ImageHeader, body: Body, since: Timestamp
    ) {
        self.digest = digest
        self.length = length
        self.header = header
        self.body = body
        self.since = since
    }
}

/// The watermark of a recipe, ready for use.
enum ResolvedWatermark<Body: Sendable>: Sendable {
    case held(HeldWatermark<Body>)
    /// Its bytes may still be in the cache only.
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
    /// The last modification; if the origin does not tell, the arrival, before which it was.
    fileprivate var modifiedBefore: Timestamp { lastModified ?? freshness.responseTime }
}

extension Pipeline {
    /// The watermark of the recipe; nil without one. Nothing of the client reaches its origin. Waits for that original's in-flight request and holds
    /// none meanwhile, as `answer` does for the picture.
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
            // The limits may be others than those by which it was kept.
            try refusing { () throws(DecodeFailure) in
                try configuration.pictures.check(arrival.original.header)
            }
            return .fetched(arrival)
        }
    }

    /// The watermark as far as it is at hand, without asking an origin; nil otherwise.
    func heldWatermark(for request: PipelineRequest) -> ResolvedWatermark<Body>? {
        switch try? watermark(of: request.recipe) {
        case nil: nil
        case .held(let watermark): .held(watermark)
        case .remote(let source):
            cache.original(source.bareKey).map { .fetched(Arrival(original: $0, epoch: purges.epoch)) }
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

    /// Combines two originals: the result is as fresh as the one that expires first, as recent as the later
    /// modification, is kept only if both may be kept, and is purged with either. A watermark in memory never
    /// expires.
    func bearing(_ watermark: ResolvedWatermark<Body>?, _ original: Arrival<Body>) -> Arrival<Body> {
        guard let watermark else { return original }
        var arrival = original
        arrival.original.lastModified = max(original.original.modifiedBefore, watermark.modifiedBefore)
        guard case .fetched(let mark) = watermark else { return arrival }
        arrival.watermark = mark.original.key
        arrival.original.freshness = original.original.freshness.joined(
            with: mark.original.freshness, at: environment.now())
        arrival.isKept = original.isKept && mark.isKept
        arrival.isStale = original.isStale || mark.isStale
        arrival.forwarding = original.forwarding ?? mark.forwarding
        arrival.times = original.times + mark.times
        arrival.epoch = min(original.epoch, mark.epoch)
        arrival.tags += mark.tags
        return arrival
    }

    /// The watermark for a decoder's job; nil if its bytes are gone.
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
