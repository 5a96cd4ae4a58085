// SPDX-License-Identifier: Apache-2.0
//
// The pipeline's ports to the world. Adapters know nothing of these protocols; they meet them in Daemon/Wiring.
// `Body` is the world's own type for bytes; the pipeline only passes it on.

package import Bytes
package import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// The network.
package protocol OriginPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// Whether the policy lets that URL be asked for at all. Asked of every request, so that a picture that was kept under
    /// an earlier policy is not served under a stricter one.
    func permits(_ source: SourceURL) -> Bool

    /// One exchange with the origin, redirects followed. Cancelling the task aborts the transfer.
    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body>

    /// So many fetches wait because others hold the slots. While there are any, the slowest transfers are ended as
    /// `.overloaded`, if they are slow. On any thread; does not wait.
    func giveWay(to waiting: Int)
}

/// One request to an origin; conditional where an original is held (RFC 9110 §13).
package struct OriginRequest: Sendable {
    package var source: SourceURL
    /// Of the original that is held; makes the request conditional.
    package var validators: Validators

    package init(source: SourceURL, validators: Validators = Validators()) {
        self.source = source
        self.validators = validators
    }
}

/// The origin's final answer, of any status. An exchange without an answer is a `FailedExchange`.
package struct OriginReply<Body: Sendable>: Sendable {
    package enum Payload: Sendable {
        /// The 304 to a conditional request.
        case notModified
        /// A 200 or a 203, with its bytes.
        case complete(body: Body, length: Int, digest: OriginalDigest)
        /// Any other status. Its fields still say how long that is so.
        case refused(status: Int)
    }

    package var payload: Payload
    package var fields: Fields
    /// The redirects that were followed, in their order.
    package var redirects: [RedirectHop]
    /// The origin that gave it, after redirects; nil: the one that was asked.
    package var giver: SourceOrigin?
    /// When the request was sent and the head of the response arrived (RFC 9111 §4.2.3).
    package var requestTime: Timestamp
    package var responseTime: Timestamp

    package init(
        payload: Payload, fields: Fields, redirects: [RedirectHop] = [], giver: SourceOrigin? = nil,
        requestTime: Timestamp, responseTime: Timestamp
    ) {
        self.payload = payload
        self.fields = fields
        self.redirects = redirects
        self.giver = giver
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// An exchange that brought no answer.
package struct FailedExchange: Error, Sendable, Hashable {
    package var failure: OriginFailure
    /// The origin that failed, after redirects; nil: the one that was asked.
    package var place: SourceOrigin?
    /// False: there was no connection to ask over yet.
    package var hasConnected: Bool

    package init(_ failure: OriginFailure, at place: SourceOrigin? = nil, hasConnected: Bool = true) {
        self.failure = failure
        self.place = place
        self.hasConnected = hasConnected
    }
}

/// Originals and renditions at rest. Failing to keep something costs time later and is never an error here.
package protocol CachePort<Body>: Sendable {
    associatedtype Body: Sendable

    /// Memory only; answers without waiting.
    func original(_ key: OriginalKey) -> Original?
    /// The fields of a held original; may read the index, so only asked for before going to the network.
    /// Nil: vanished meanwhile.
    func fields(of original: Original) async -> StoredFields?
    /// Nil: vanished or damaged, and forgotten by that.
    func body(of original: Original) async -> Body?
    /// Keeps the original, which `original` finds from then on, in place of one with the same key.
    /// - Returns: the body to go on with: the same bytes, perhaps elsewhere.
    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// The same bytes, known to be good for longer.
    func refresh(_ key: OriginalKey, freshness: Freshness, fields: StoredFields) async
    func forget(_ key: OriginalKey) async

    /// Whether `rendition` would find it. Memory only; answers without waiting.
    func holds(_ key: RenditionKey) -> Bool
    /// `inMemory`: it was in memory.
    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, inMemory: Bool)?
    /// Keeps the rendition, which `rendition` finds from then on; as for originals.
    func keep(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body

    /// Takes the originals away, or makes them stale; returns when that cannot be undone by a restart.
    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The second half of a purge: takes away renditions of bytes that are no original's any more, and the ready answers in
    /// memory. A soft purge leaves the renditions.
    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)
}

/// The processes that look at pictures and make them.
package protocol DecoderPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// Reads the header of a body.
    /// - Throws: `.notAnImage`, `.damaged`, or a trouble of the machine.
    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader
    /// Reads the header and the metadata at once.
    /// - Throws: as for the header.
    func description(of body: Body) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    )
    /// Reads the body's metadata.
    func details(of body: Body, header: ImageHeader) async -> ImageDetails
    /// Makes the rendition. Cancelling the task gives the job up. The rendition's `key` in the answer is the job's.
    /// - Returns: nil: the bytes that the job came with have changed on disk, and are forgotten by that.
    /// - Throws: the picture's fault or the machine's, as `DecodeFailure` tells them apart.
    func render(_ job: RenderJob<Body>) async throws(DecodeFailure) -> (
        rendition: Rendition, body: Body, timing: RenderTiming
    )?
}

/// One rendition to make.
package struct RenderJob<Body: Sendable>: Sendable {
    /// A picture as it was fetched.
    package struct Picture: Sendable {
        /// Of the body.
        package var digest: OriginalDigest
        package var header: ImageHeader
        package var body: Body
    }

    package var key: RenditionKey
    package var original: Picture
    /// Folded, and its `output` is a `.format`.
    package var recipe: Recipe
    /// The picture that is laid over the result, where the recipe has one; the recipe names it by its digest.
    package var watermark: Picture?
    /// Bytes that it was admitted for; see `JobPrice`.
    package var price: Int
    package var priority: Priority

    package init(
        key: RenditionKey, original: Picture, recipe: Recipe, watermark: Picture? = nil, price: Int,
        priority: Priority
    ) {
        self.key = key
        self.original = original
        self.recipe = recipe
        self.watermark = watermark
        self.price = price
        self.priority = priority
    }

    package var digest: OriginalDigest { original.digest }
    package var header: ImageHeader { original.header }
    package var body: Body { original.body }
}

/// Microseconds.
package struct RenderTiming: Sendable, Hashable {
    package var queued: Int
    package var decoding: Int
    package var encoding: Int

    package init(queued: Int = 0, decoding: Int = 0, encoding: Int = 0) {
        self.queued = queued
        self.decoding = decoding
        self.encoding = encoding
    }
}

/// Time, names and chance.
package protocol Environment: Sendable {
    /// Wall-clock time.
    func now() -> Timestamp
    /// Monotonic microseconds, for stage times and for everything that is remembered or waits in this process.
    func ticks() -> Int64
    func sha256(_ bytes: [UInt8]) -> Digest
    /// 0..<1, each as likely as the others.
    func chance() -> Double
    /// Calls back once, that much later, on any thread. The work is short and never waits.
    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void)
}
