// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import Answers
internal import Bytes
internal import HTTP1
package import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
package import Pipeline
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

/// Why a request is answered as it is: what it means, what is held for it, and what would happen now.
package struct ExplanationReport: Sendable, Codable {
    /// As the request was understood.
    package struct Asked: Sendable, Codable {
        /// Normalised; names the original.
        package var source: String
        /// Folded; as asked, so its format may still be open.
        package var recipe: String
        /// What of `Accept` matters for `output=auto`.
        package var accepts: [String]
        /// Whose the request would be at the public listener, which may trust proxies to say so.
        package var client: String
    }

    package struct HeldOriginal: Sendable, Codable {
        package var digest: String
        package var bytes: Int
        package var format: String
        package var width: Int
        package var height: Int
        package var pages: Int
        /// The origin's, as they were kept.
        package var fields: [String: String]
        package var tags: [String]
        /// On disk, of these bytes.
        package var renditions: Int
        /// Made of these bytes for strangers within the last hour, as far as limits.renditions-per-original counts.
        package var renditionsThisHour: Int
        package var freshness: FreshnessReport
    }

    /// RFC 9111 §4.2, by its names. Times are seconds since 1970, everything else seconds.
    package struct FreshnessReport: Sendable, Codable {
        package var now: Int64
        package var responseTime: Int64
        /// How old it was when it arrived: the larger of `apparent_age` and `corrected_age_value` (§4.2.3).
        var correctedInitialAge: Int
        /// `now` − `response_time`.
        var residentTime: Int
        /// `corrected_initial_age` + `resident_time`.
        var currentAge: Int
        /// §4.2.1, within the configured bounds.
        var freshnessLifetime: Int
        /// `freshness_lifetime` − `current_age`; stale when it is not above 0.
        package var secondsLeft: Int
        /// What the origin grants to browsers.
        package var clientLifetime: Int
        /// RFC 5861, from the origin or the settings.
        package var staleWhileRevalidate: Int
        package var staleIfError: Int
        package var flags: [String]
        package var isFresh: Bool
        /// What clients are told now.
        package var cacheControl: String
    }

    package struct Made: Sendable, Codable {
        /// Names the file.
        package var key: String
        package var entityTag: String
        /// As it comes out for this original.
        package var recipe: String
        package var format: String
        var formatReason: String
        /// As planned; `contain` and crops included.
        package var width: Int
        package var height: Int
        /// `memory`, `disk`, or nil.
        var heldIn: String?
        package var bytes: Int?
        /// Pixels that would have to be decoded and written.
        var pixelsIn: Int
        var pixelsOut: Int
    }

    package struct Failure: Sendable, Codable {
        package var status: Int
        package var error: String
        package var message: String
        /// For so many seconds more.
        package var remembered: Int
    }

    package struct Forecast: Sendable, Codable {
        package var outcome: String
        package var why: String
        /// Its origin would be asked, or is being asked, before the answer.
        package var waitsForOrigin: Bool
        var isBeingFetched: Bool
        var isBeingRendered: Bool
    }

    package var asked: Asked
    /// Nil: nothing is held.
    package var original: HeldOriginal?
    package var rendition: Made?
    package var failure: Failure?
    package var origin: OriginReport
    package var forecast: Forecast
}

extension ExplanationReport {
    package init(
        _ request: PipelineRequest, client: PeerAddress, _ explanation: Explanation, renditions: Int,
        policy: ClientPolicy
    ) {
        asked = Asked(
            source: request.source.absolute, recipe: request.recipe.canonical,
            accepts: request.accepted.names, client: client.host)
        original = explanation.held.map {
            HeldOriginal($0, renditions: renditions, now: explanation.now, policy: policy)
        }
        rendition = explanation.held.map { Made($0, for: request) }
        failure = explanation.failure.map(Failure.init)
        if let refusal = explanation.held?.refusal {
            failure = Failure(PipelineFailure(.decode(refusal)))
        }
        origin = OriginReport(explanation.health)
        forecast = Forecast(
            outcome: explanation.outcome.rawValue, why: explanation.why,
            waitsForOrigin: explanation.waitsForOrigin, isBeingFetched: explanation.isFetching,
            isBeingRendered: explanation.isRendering)
    }
}

extension ExplanationReport.HeldOriginal {
    fileprivate init(_ held: Explanation.Held, renditions: Int, now: Timestamp, policy: ClientPolicy) {
        let original = held.original
        let fields = held.fields?.fields.list ?? []
        self.init(
            digest: original.digest.digest.hex, bytes: original.length, format: "\(original.header.format)",
            width: original.header.width, height: original.header.height, pages: original.header.pages,
            fields: Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first },
            tags: held.fields?.tags ?? [], renditions: renditions,
            renditionsThisHour: held.renditionsThisHour,
            freshness: .init(original.freshness, at: now, policy: policy))
    }
}

extension ExplanationReport.FreshnessReport {
    fileprivate init(_ freshness: Freshness, at now: Timestamp, policy: ClientPolicy) {
        let age = freshness.age(at: now)
        var isFresh = false
        if case .fresh = freshness.state(at: now) { isFresh = true }
        self.init(
            now: now.seconds, responseTime: freshness.responseTime.seconds,
            correctedInitialAge: Int(freshness.initialAge), residentTime: age - Int(freshness.initialAge),
            currentAge: age, freshnessLifetime: Int(freshness.lifetime),
            secondsLeft: freshness.secondsLeft(at: now), clientLifetime: Int(freshness.clientLifetime),
            staleWhileRevalidate: Int(freshness.staleWhileRevalidate),
            staleIfError: Int(freshness.staleIfError), flags: freshness.flags.names, isFresh: isFresh,
            cacheControl: ClientDirectives(freshness, at: now, policy: policy).cacheControl.text)
    }
}

extension ExplanationReport.Made {
    fileprivate init(_ held: Explanation.Held, for request: PipelineRequest) {
        let header = held.original.header
        let format = held.recipe.resolvedOutput(for: header)
        let frames = held.recipe.framesTaken(from: header)
        // Once it is made, its own; before, what can be told without decoding.
        let size =
            held.rendition.map { PixelSize(width: $0.rendition.width, height: $0.rendition.height) }
            ?? held.recipe.resultSize(for: header)
        self.init(
            key: held.key.digest.hex, entityTag: held.key.entityTag, recipe: held.recipe.canonical,
            format: format.name, formatReason: Self.reason(format, request, header),
            width: size.width, height: size.height,
            heldIn: held.rendition.map { $0.isInMemory ? "memory" : "disk" },
            bytes: held.rendition?.rendition.length,
            pixelsIn: Int(saturatingProduct: header.width, header.height, frames),
            pixelsOut: Int(saturatingProduct: size.width, size.height, frames))
    }

    private static func reason(
        _ format: ImageFormat, _ request: PipelineRequest, _ header: ImageHeader
    ) -> String {
        switch request.recipe.output {
        case .format: "asked for"
        case .json: "what is known of the picture, asked for"
        case .source:
            format == header.format
                ? "the original's own" : "the original's own cannot be written; this keeps its alpha, if any"
        case .auto where request.accepted.isEmpty:
            "Accept names neither AVIF nor WebP"
        case .auto: "the best that Accept names for such a picture"
        }
    }
}

extension ExplanationReport.Failure {
    fileprivate init(_ failure: PipelineFailure) {
        let words = ErrorResponse(failure)
        self.init(
            status: words.status, error: words.code, message: words.message,
            remembered: failure.rememberedFor)
    }
}

extension AcceptClass {
    fileprivate var names: [String] {
        (contains(.avif) ? ["avif"] : []) + (contains(.webp) ? ["webp"] : [])
    }
}

extension Freshness.Flags {
    fileprivate var names: [String] {
        let all: [(Freshness.Flags, String)] = [
            (.alwaysValidate, "always-validate"), (.mustRevalidate, "must-revalidate"),
            (.heuristic, "heuristic"), (.immutable, "immutable"),
            (.clientsMayNotStore, "clients-may-not-store"), (.privateToClients, "private-to-clients"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
