// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Bytes
internal import Clients
internal import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Origin
internal import Pipeline
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension ExplanationReport {
    /// - Parameters:
    ///   - renditions: the number on disk.
    ///   - policy: the bounds for the source's host.
    ///   - fallback: nil if clients get the failure itself.
    init(
        _ request: PipelineRequest, client: PeerAddress, _ explanation: Explanation, renditions: Int,
        profile: OriginProfile?, fleetMissesLeft: Int?, policy: ClientPolicy, fallback: FallbackPolicy?
    ) {
        asked = Asked(
            source: request.source.absolute, recipe: request.recipe.canonical,
            accepts: request.accepted.names,
            passed: request.clientFields.list.isEmpty ? nil : request.clientFields.list.map(\.name),
            client: client.host)
        original = explanation.held.map {
            HeldOriginal(
                $0, renditions: renditions, now: explanation.now, policy: policy, request.clientFields)
        }
        shared = explanation.shared.map { found in
            SharedOriginalReport(
                digest: found.digest.digest.hex, bytes: found.length,
                freshness: .init(
                    found.freshness.shown(to: request.clientFields), at: explanation.now, policy: policy))
        }
        let known = explanation.taken ?? explanation.held
        rendition = known.map { Made($0, for: request) }
        let reason = explanation.failure ?? known?.refusal.map { PipelineFailure(.decode($0)) }
        failure = reason.map { Failure($0, fallback: request.recipe.output == .json ? nil : fallback) }
        origin = OriginReport(explanation.health)
        self.profile = profile.map { profile in
            let rule = profile.rule
            return Profile(
                name: profile.name, isPrivate: profile.isPrivate,
                passes: profile.passed.isEmpty ? nil : profile.passed,
                cacheControl: rule?.isDefault == false ? rule?.value : nil,
                defaultCacheControl: rule?.isDefault == true ? rule?.value : nil)
        }
        forecast = Forecast(
            outcome: explanation.outcome.rawValue, why: explanation.why,
            waitsForOrigin: explanation.waitsForOrigin, isBeingFetched: explanation.isFetching,
            isBeingRendered: explanation.isRendering, leaseHolder: explanation.leaseHolder,
            fleetFetches: explanation.fleetFetches, fleetMissesLeft: fleetMissesLeft)
    }
}

extension Freshness {
    /// The freshness told to clients that sent these fields.
    fileprivate func shown(to sent: ClientFields) -> Freshness {
        var shown = self
        if sent.isPrivate { shown.flags.insert(.privateToClients) }
        return shown
    }
}

extension ExplanationReport.HeldOriginal {
    fileprivate init(
        _ held: Explanation.Held, renditions: Int, now: Timestamp, policy: ClientPolicy, _ sent: ClientFields
    ) {
        let original = held.original
        let fields = held.fields?.fields.list ?? []
        self.init(
            digest: original.digest.digest.hex, bytes: original.length, format: "\(original.header.format)",
            width: original.header.width, height: original.header.height, pages: original.header.pages,
            fields: Dictionary(fields.map { ($0.name, $0.value) }) { first, _ in first },
            tags: held.fields?.tags ?? [], renditions: renditions,
            renditionsThisHour: held.renditionsThisHour,
            freshness: .init(
                original.freshness.shown(to: sent), told: held.told?.shown(to: sent), at: now, policy: policy)
        )
    }
}

extension ExplanationReport.FreshnessReport {
    /// - Parameter told: the freshness told to clients, if the rendition is a substitute; nil otherwise.
    fileprivate init(
        _ freshness: Freshness, told: Freshness? = nil, at now: Timestamp, policy: ClientPolicy
    ) {
        var policy = policy
        // As in the answer: the minimum lifetime does not apply to a substitute.
        if told != nil { policy.minimumLifetime = 0 }
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
            cacheControl: ClientDirectives(told ?? freshness, at: now, policy: policy).cacheControl.text)
    }
}

extension ExplanationReport.Made {
    fileprivate init(_ held: Explanation.Held, for request: PipelineRequest) {
        let header = held.original.header
        let format = held.rendition?.rendition.format ?? held.recipe.resolvedOutput(for: header)
        let frames = held.recipe.framesTaken(from: header)
        // The size of the held rendition; without one, the size as far as the header tells it without decoding.
        let size =
            held.rendition.map { PixelSize(width: $0.rendition.width, height: $0.rendition.height) }
            ?? held.recipe.resultSize(for: header)
        self.init(
            key: held.key.digest.hex, entityTag: held.key.entityTag, recipe: held.recipe.canonical,
            format: format.name,
            formatReason: held.isSubstitute
                ? "the best that Accept names beside AVIF, which is made behind the answer"
                : Self.reason(format, request, header, made: held.recipe),
            jpegLane: held.recipe.suitsJPEGLane(header),
            width: size.width, height: size.height,
            heldIn: held.rendition?.level.rawValue,
            bytes: held.rendition?.rendition.length,
            pixelsIn: Int(saturatingProduct: header.width, header.height, frames),
            pixelsOut: Int(saturatingProduct: size.width, size.height, frames))
    }

    private static func reason(
        _ format: ImageFormat, _ request: PipelineRequest, _ header: ImageHeader, made: Recipe
    ) -> String {
        switch request.recipe.output {
        case let asked where made.output == .raw && asked != .raw:
            "the original's own bytes, since such originals are handed on"
        case _ where format == .svg && request.recipe.keepsDrawing(of: header):
            "a drawing that is passed on, asked for"
        case .format: "asked for"
        case .raw: "the original's own bytes, asked for"
        case .json: "what is known of the picture, asked for"
        case .source:
            format == header.format
                ? "the original's own"
                : request.terms.defaultFormat == .common
                    ? "the original's own cannot be written; this keeps its alpha, if any"
                    : "the first of the preferred formats that can hold such a picture"
        case .auto where request.accepted.isEmpty:
            "Accept names neither AVIF nor WebP"
        case .auto: "the best that Accept names for such a picture"
        }
    }
}

extension ExplanationReport.Failure {
    fileprivate init(_ failure: PipelineFailure, fallback: FallbackPolicy?) {
        let words = ErrorResponse(failure)
        self.init(
            status: words.status, error: words.code, message: words.message,
            remembered: failure.rememberedFor,
            fallbackStatus: fallback.flatMap {
                $0.standsIn(for: failure.reason) ? $0.status ?? words.status : nil
            })
    }
}

extension AcceptClass {
    fileprivate var names: [String] {
        (contains(.avif) ? ["avif"] : []) + (contains(.webp) ? ["webp"] : [])
            + (contains(.jxl) ? ["jxl"] : [])
    }
}

extension Freshness.Flags {
    fileprivate var names: [String] {
        let all: [(Freshness.Flags, String)] = [
            (.alwaysValidate, "always-validate"), (.mustRevalidate, "must-revalidate"),
            (.heuristic, "heuristic"), (.immutable, "immutable"),
            (.clientsMayNotStore, "clients-may-not-store"), (.privateToClients, "private-to-clients"),
            (.clientsMustValidate, "clients-must-validate"),
            (.clientsMustRevalidate, "clients-must-revalidate"), (.staleHereOnly, "stale-here-only"),
            (.varies, "varies"), (.expired, "expired"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
