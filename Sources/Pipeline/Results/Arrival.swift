// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
internal import SourceURLs

/// An original that may be used now: held, fetched, or taken from the shared store.
struct Arrival<Body: Sendable>: Sendable {
    var original: Original
    /// The watermark's original; nil without one.
    var watermark: Original?
    /// When the original was looked up, or its in-flight request began; a later purge makes it unfit to keep.
    var epoch: PurgeEpoch
    /// The origin's tags.
    var tags: [String] = []
    /// False if further tags are possible, because a held original's tags are in the index, which could not be read.
    var areTagsKnown = true
    /// The bytes, if they are at hand; otherwise the cache is asked, and only for a rendering.
    var body: Body?
    /// The picture's metadata, if the fetch was for a description.
    var details: ImageDetails?
    /// False if the original may only serve the requests that waited for it, and neither it nor its renditions are kept.
    var isKept = true
    /// True if the original is served past its lifetime.
    var isStale = false
    /// The shared store's part in it; nil if the original was held, or the store was not asked.
    var store: StorePart?
    /// Whether the shared store is asked for renditions of this original.
    var look = RenditionLook.always
    /// The request to the origin; nil if the origin was not asked.
    var forwarding: Forwarding?
    var times = StageTimes()
}

extension PipelineFailure {
    /// The same failure to make something of an original, remembered by clients for no longer than a picture of that original.
    func keptNoLonger<Body>(than arrival: Arrival<Body>, at now: Timestamp) -> PipelineFailure {
        let freshness = arrival.original.freshness
        let isForAll =
            arrival.isKept
            && freshness.flags.isDisjoint(with: [.alwaysValidate, .clientsMayNotStore, .privateToClients])
        let left = min(freshness.secondsLeft(at: now), Int(freshness.clientLifetime))
        var failure = self
        failure.rememberedFor = min(rememberedFor, isForAll ? max(0, left) : 0)
        return failure
    }
}

/// Whether the shared store is asked for a rendition before it is made.
enum RenditionLook: Sendable, Hashable {
    case always
    /// The origin gave the original, and neither this node nor the shared store knew its URL, so the store has a rendition only if
    /// another URL has the same bytes.
    case byOdds(SourceOrigin)
    /// The origin gave the original before the store had answered.
    case never
    /// The request said `only-if-cached`: it is answered from memory or disk alone, and waits for no other node.
    case forbidden
}

/// The key of an original's in-flight request. Requests from which the cache is withheld share one only among themselves: another's
/// may end with a 304 or a held original, whose bytes they could not read.
struct FetchWork: Sendable, Hashable {
    /// As `FetchRequest.fetchKey`.
    let original: OriginalKey
    let goesWithoutCache: Bool

    init(_ original: OriginalKey, withoutCache: Bool = false) {
        self.original = original
        goesWithoutCache = withoutCache
    }
}

/// The key of a rendition's in-flight request. Requests that must not wait for other nodes share one only among themselves.
struct RenditionWork: Sendable, Hashable {
    let key: RenditionKey
    let staysHere: Bool

    init(_ key: RenditionKey, _ directives: RequestDirectives = RequestDirectives()) {
        self.key = key
        staysHere = directives.onlyIfCached
    }
}

/// The result of a rendition's in-flight request.
enum RenditionResult<Body: Sendable>: Sendable {
    case made(Rendition, Body, StageTimes)
    /// Another in-flight request completed between this one's cache look-up and its start.
    case found(Rendition, Body, CacheLevel)
    /// The original's bytes were gone when they were needed.
    case vanished
}
