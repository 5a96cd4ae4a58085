// SPDX-License-Identifier: Apache-2.0
//
// The pipeline's ports. Adapters do not know these protocols; Daemon/Wiring adapts them. `Body` is the outer
// world's type for bytes, which the pipeline only passes on.

package import Bytes
package import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs
internal import Traces

/// The network.
package protocol OriginPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// True if the policy permits this URL at all. Asked for every request, so that a picture kept under an
    /// earlier policy is not served under a stricter one.
    func permits(_ source: SourceURL) -> Bool

    /// One exchange with the origin, redirects followed. Cancelling the task aborts the transfer.
    /// - Throws: if the origin gives no answer.
    func fetch(_ request: OriginRequest) async throws(FailedExchange) -> OriginReply<Body>

    /// What the URL's origin would be told now by a request with these fields and none of a client, as far as it may choose its
    /// answer by it; as codes where it may be secret.
    /// - Parameter isRedirected: for an answer that redirects led to; what all origins are told.
    func told(_ source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields

    /// Reports how many fetches wait because others hold the permits. While there are any, slow transfers end
    /// as `.overloaded`, the slowest first. Called on any thread; must not block.
    func giveWay(to waiting: Int)
}

extension OriginPort {
    /// The fields themselves, where nothing else is told.
    package func told(_ source: SourceURL, isRedirected: Bool, by fields: Fields) -> Fields { fields }
}

/// One request to an origin; conditional if an original is held (RFC 9110 §13).
package struct OriginRequest: Sendable {
    /// The original's URL.
    package var source: SourceURL
    /// Of the held original; they make the request conditional.
    package var validators: Validators
    /// The other fields, as far as `Vary` may name them.
    package var fields: Fields
    /// Of the client; in place of those of the same name. They are in the key, so `Vary` tells nothing more of them.
    package var clientFields: ClientFields

    /// Unconditional by default.
    package init(
        source: SourceURL, validators: Validators = Validators(), fields: Fields = Fields(),
        clientFields: ClientFields = .none
    ) {
        self.clientFields = clientFields
        self.source = source
        self.validators = validators
        self.fields = fields
    }

    /// The key of the original.
    package var key: OriginalKey { OriginalKey(url: source.absolute, variant: clientFields.variant) }
}

/// The origin's final answer, of any status. An exchange without an answer is a `FailedExchange`.
package struct OriginReply<Body: Sendable>: Sendable {
    /// The kind of answer.
    package enum Payload: Sendable {
        /// The 304 to a conditional request.
        case notModified
        /// A 200 or a 203 with its body; `length` in bytes.
        case complete(body: Body, length: Int, digest: OriginalDigest)
        /// Any other status; its fields still tell for how long it holds.
        case refused(status: Int)
    }

    /// The kind of answer.
    package var payload: Payload
    /// The status of an answer with content: 200, or 203 where a proxy has changed it.
    package var contentStatus = 200
    /// Of the answer's head.
    package var fields: Fields
    /// The redirects followed, in order.
    package var redirects: [RedirectHop]
    /// A code of their target's URL, by which it is known again (`Validators.target`); nil without redirects.
    package var target: String?
    /// The origin that answered, after redirects; nil for the one that was asked.
    package var giver: SourceOrigin?
    /// When the request was sent (RFC 9111 §4.2.3).
    package var requestTime: Timestamp
    /// When the head of the answer arrived.
    package var responseTime: Timestamp
    /// What the origin was told, as `OriginPort.told` has it; nil for the request's fields.
    package var told: Fields?
    /// True if it was given to Pictor's own credentials, so that no shared cache behind this one may keep it.
    package var isPrivate: Bool

    /// Without redirects by default.
    package init(
        payload: Payload, fields: Fields, redirects: [RedirectHop] = [], target: String? = nil,
        giver: SourceOrigin? = nil, told: Fields? = nil, requestTime: Timestamp, responseTime: Timestamp,
        isPrivate: Bool = false
    ) {
        self.told = told
        self.isPrivate = isPrivate
        self.payload = payload
        self.fields = fields
        self.redirects = redirects
        self.target = target
        self.giver = giver
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// An exchange that gave no answer.
package struct FailedExchange: Error, Sendable, Hashable {
    /// The reason.
    package var failure: OriginFailure
    /// The origin that failed, after redirects; nil for the one that was asked.
    package var place: SourceOrigin?
    /// The redirects that led there, in order.
    package var redirects: [RedirectHop]
    /// False if there was no connection to send the request over.
    package var hasConnected: Bool

    /// By default, the origin that was asked failed after the connection.
    package init(
        _ failure: OriginFailure, at place: SourceOrigin? = nil, redirects: [RedirectHop] = [],
        hasConnected: Bool = true
    ) {
        self.redirects = redirects
        self.failure = failure
        self.place = place
        self.hasConnected = hasConnected
    }
}

/// Originals and renditions at rest. A failure to keep something costs time later and is no error here.
package protocol CachePort<Body>: Sendable {
    associatedtype Body: Sendable

    /// When the newest of the originals arrived that were held at the start, by the clock of those days; 1970 without any.
    var newestAtStart: Timestamp { get }
    /// The held original, from memory; nil for none. Must not block.
    func original(_ key: OriginalKey) -> Original?
    /// The fields of a held original; nil if it has vanished. May read the index, so it is asked only before
    /// going to the network.
    func fields(of original: Original) async -> StoredFields?
    /// The body of a held original; nil if it was missing or damaged, and is forgotten.
    func body(of original: Original) async -> Body?
    /// Keeps the original in place of one with the same key; `original` finds it from then on.
    /// - Returns: the body to use from now on: the same bytes, perhaps elsewhere.
    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// Keeps the freshness and the date of a held original whose bytes stay the same.
    func refresh(_ original: Original, fields: StoredFields) async
    func forget(_ key: OriginalKey) async
    /// Removes what is kept ready of the original, because more is known of it than when that was made. Looks at all that
    /// is ready.
    func forgetAnswers(of key: OriginalKey)

    /// True if `rendition` would find it. From memory; must not block.
    func holds(_ key: RenditionKey) -> Bool
    /// The held rendition; nil for none. `inMemory` tells where it was.
    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, inMemory: Bool)?
    /// As `rendition`, but nil as well where its bytes cannot be had without waiting. Must not block.
    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: Body, inMemory: Bool)?
    /// Keeps the rendition; `rendition` finds it from then on. Returns the body as for originals.
    func keep(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body

    /// True if there is a store that several nodes share.
    var isShared: Bool { get }
    /// True if it gets originals.
    var sharesOriginals: Bool { get }
    /// True if it gets renditions.
    var sharesRenditions: Bool { get }
    /// How long it takes to answer; nil if a late answer is waited for.
    var lookTimes: LookTimes? { get }
    /// The original as the shared store knows it; nil for none. Asked before an origin.
    func sharedOriginal(_ key: OriginalKey) async -> SharedAnswer<Body>?
    /// The bytes that did not come with it; nil for none.
    func sharedBody(of original: SharedOriginal) async -> Body?
    /// The rendition that the shared store holds; nil for none. Asked before it is made.
    func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest
    ) async -> (rendition: Rendition, body: Body)?
    /// Waits until the shared store has what was kept of the original last, or will not get it.
    /// - Returns: true if other nodes find it there.
    func isWritten(_ original: Original, tags: [String]) async -> Bool
    /// As above, of a rendition.
    func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool
    /// As `keep`, of what came from the shared store.
    func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// As `refresh`, by what came from the shared store.
    func adopt(refreshed original: Original, fields: StoredFields) async
    /// As `keep`, of what came from the shared store.
    func adopt(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body

    /// Removes the originals, or makes them stale; returns once no restart can undo that, or with a `failure`.
    /// `failure` of the result is thrown by the caller, once it has done its part.
    /// - Throws: if the cache cannot tell what it holds.
    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The second half of a purge: removes renditions of bytes without an original, and the ready answers in
    /// memory. A soft purge leaves the renditions.
    /// - Throws: if the cache cannot tell.
    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)

    /// What `purgeOriginals` would find; changes nothing.
    /// - Throws: if the cache cannot tell.
    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// What `purgeRenditions` would remove; changes nothing.
    /// - Throws: if the cache cannot tell.
    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)
}

/// Without a shared store.
extension CachePort {
    package var isShared: Bool { false }
    package var sharesOriginals: Bool { isShared }
    package var sharesRenditions: Bool { isShared }
    package var lookTimes: LookTimes? { nil }
    package func isWritten(_ original: Original, tags: [String]) async -> Bool { false }
    package func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool { false }
    package func sharedOriginal(_ key: OriginalKey) async -> SharedAnswer<Body>? { nil }
    package func sharedBody(of original: SharedOriginal) async -> Body? { nil }
    package func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest
    ) async -> (rendition: Rendition, body: Body)? { nil }

    package func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await keep(original, fields: fields, body: body)
    }

    package func adopt(refreshed original: Original, fields: StoredFields) async {
        await refresh(original, fields: fields)
    }

    package func adopt(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body {
        await keep(rendition, of: original, body: body)
    }
}

/// The processes that read and make pictures.
package protocol DecoderPort<Body>: Sendable {
    associatedtype Body: Sendable

    /// Reads the header of a body.
    /// - Throws: `.notAnImage`, `.damaged`, or a failure of the machine.
    func header(of body: Body) async throws(DecodeFailure) -> ImageHeader
    /// Reads the header and the metadata at once.
    /// - Throws: as `header(of:)`.
    func description(of body: Body) async throws(DecodeFailure) -> (
        header: ImageHeader, details: ImageDetails
    )
    /// Reads the metadata of a body; those of the header alone if the picture is to blame.
    /// - Throws: a failure of the machine.
    func details(of body: Body, header: ImageHeader) async throws(DecodeFailure) -> ImageDetails
    /// Makes the rendition, with the job's `key`. Cancelling the task gives the job up.
    /// - Returns: nil if an input has changed on disk, and is forgotten; and if the decoders are no more the engine of the job's
    ///   key, but the one that the pipeline has adopted meanwhile.
    /// - Throws: the picture's fault or the machine's, as `DecodeFailure` distinguishes them.
    func render(_ job: RenderJob<Body>) async throws(DecodeFailure) -> (
        rendition: Rendition, body: Body, timing: RenderTiming
    )?
}

/// A rendition to make.
package struct RenderJob<Body: Sendable>: Sendable {
    /// A picture as it was fetched.
    package struct Picture: Sendable {
        /// The digest of the body.
        package var digest: OriginalDigest
        /// The header of the body.
        package var header: ImageHeader
        /// The bytes.
        package var body: Body
    }

    /// The key of the rendition to make.
    package var key: RenditionKey
    /// With the encoders' settings to make it by; in the key.
    package var engine: EngineVersion
    /// The picture to make it of.
    package var original: Picture
    /// Folded and resolved: its `output` is a `.format`.
    package var recipe: Recipe
    /// The watermark, which the recipe names by its digest; nil without one.
    package var watermark: Picture?
    /// Bytes for which it was admitted, see `JobPrice`.
    package var price: Int
    /// Pixels of the rendition for which it was admitted; nil where the original's header tells its shape, and with it those.
    package var pixels: Int?
    /// How long it may take.
    package var timeout: Duration
    /// The class of its work.
    package var priority: Priority

    /// Without a watermark by default.
    package init(
        key: RenditionKey, engine: EngineVersion, original: Picture, recipe: Recipe,
        watermark: Picture? = nil, price: Int, pixels: Int? = nil, timeout: Duration, priority: Priority
    ) {
        self.key = key
        self.engine = engine
        self.original = original
        self.recipe = recipe
        self.watermark = watermark
        self.price = price
        self.pixels = pixels
        self.timeout = timeout
        self.priority = priority
    }

    /// Of the original.
    package var digest: OriginalDigest { original.digest }
    /// Of the original.
    package var header: ImageHeader { original.header }
    /// Of the original.
    package var body: Body { original.body }
}

/// Durations of a rendering, in microseconds.
package struct RenderTiming: Sendable, Hashable {
    /// Waiting inside the decoder pool.
    package var queued: Int
    /// Decoding, resizing and effects.
    package var decoding: Int
    /// Encoding.
    package var encoding: Int
    /// A JPEG was decoded and resized plane by plane, without libvips.
    package var isPlanar: Bool

    /// All in microseconds.
    package init(queued: Int = 0, decoding: Int = 0, encoding: Int = 0, isPlanar: Bool = false) {
        self.isPlanar = isPlanar
        self.queued = queued
        self.decoding = decoding
        self.encoding = encoding
    }
}

/// The pipeline's clocks, hash and random numbers, passed in so that tests control them.
package protocol Environment: Sendable {
    /// Wall-clock time.
    func now() -> Timestamp
    /// The monotonic clock in microseconds, for durations and for everything that is remembered or waits in
    /// this process.
    func ticks() -> Int64
    func sha256(_ bytes: [UInt8]) -> Digest
    /// A uniformly random number, 0..<1.
    func chance() -> Double
    /// Calls `work` once after that time, on any thread. The work is short and must not block.
    /// - Returns: a number to put it off by.
    @discardableResult
    func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64
    /// Puts off what `after` has set; it may go off nevertheless.
    func putOff(_ alarm: UInt64)
}

/// What the pipeline asks of the world: one adapter for each port.
package struct PipelinePorts<Body: Sendable>: Sendable {
    let origin: any OriginPort<Body>
    let cache: any CachePort<Body>
    let decoder: any DecoderPort<Body>
    let leases: (any LeasePort)?
    let originLimits: (any OriginLimitPort)?
    let environment: any Environment

    /// Parameters as in the ports; without leases and limits of a fleet by default.
    package init(
        origin: any OriginPort<Body>, cache: any CachePort<Body>, decoder: any DecoderPort<Body>,
        leases: (any LeasePort)? = nil, originLimits: (any OriginLimitPort)? = nil,
        environment: any Environment
    ) {
        self.leases = leases
        self.originLimits = originLimits
        self.origin = origin
        self.cache = cache
        self.decoder = decoder
        self.environment = environment
    }
}

extension FailedExchange: CodedError {
    /// As it stands in the answer.
    package var code: String { failure.row.code }
}
