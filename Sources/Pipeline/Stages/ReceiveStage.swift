// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
internal import SourceURLs
internal import Traces

extension Pipeline {
    /// Processes the origin's reply: keeps it, or refreshes the held original, or serves only the waiting
    /// requests.
    /// - Returns: nil if the request must be repeated without conditions: after a 304 for another representation than the known one
    ///   (RFC 9111 §4.3.4), and after a 412, by which some servers answer where HTTP has the 304.
    /// - Throws: if the reply gives no picture.
    func receive(
        _ received: ReceivedReply<Body>
    ) async throws(FailedFetch) -> Arrival<Body>? {
        let (reply, request, known) = (received.reply, received.request, received.known)
        switch reply.payload {
        case .refused(status: 412) where !request.validators.isEmpty:
            return nil
        case .refused(let status):
            throw refusal(status, reply, to: request)
        case .notModified:
            return try await confirm(request.validators.isEmpty ? .nothing : known, by: received)
        case .complete(let body, let length, let digest):
            if let held = known.original, held.digest == digest {
                counters.unchanged.count()
                return await extend(
                    held, assess(reply, to: request), by: received, body: body, status: reply.contentStatus)
            }
            let verdict = assess(reply, to: request)
            let (original, details, times) = try await traced("inspect") { _ throws(FailedFetch) in
                try await examine(body, length, digest, verdict, of: received)
            }
            var arrival = await take(original, body, verdict, of: received)
            (arrival.details, arrival.times) = (details, times)
            arrival.forwarding?.status = reply.contentStatus
            return arrival
        }
    }

    // MARK: No picture

    private func refusal(
        _ status: Int, _ reply: OriginReply<Body>, to request: OriginRequest
    ) -> FailedFetch {
        let retryAfter = reply.fields["Retry-After"].flatMap {
            RetryAfter.seconds($0, now: reply.transit.responseTime, limit: longestPause)
        }
        var failure = PipelineFailure(.originStatus(status, retryAfter: retryAfter))
        failure.clientLimit = NegativePolicy.clientLimit(of: reply.fields, by: reply.transit)
        guard request.source.sentTarget == nil else { return FailedFetch(failure: failure) }
        return FailedFetch(
            failure: failure,
            verdict: configuration.negative.verdict(
                onStatus: status, fields: reply.fields, by: reply.transit),
            tags: StoredFields(reply.fields).tags)
    }

    /// The failure for content that is no picture. It is remembered for the reply's freshness lifetime; after that the request is
    /// conditional, and a 304 renews the failure. It is not remembered for a request with parameters outside of the key, such as a
    /// signature, because another request may get a picture.
    private func noPicture(
        _ failure: PipelineFailure, _ verdict: StorageVerdict, _ reply: OriginReply<Body>,
        to request: OriginRequest
    ) -> FailedFetch {
        guard verdict.isKept, request.source.sentTarget == nil else { return FailedFetch(failure: failure) }
        let fields = verdict.fields.fields(datedBy: reply.fields)
        let memory = configuration.negative.verdict(onContentWith: fields, by: reply.transit)
        var failure = failure
        failure.clientLimit = NegativePolicy.clientLimit(of: fields, by: reply.transit)
        return FailedFetch(
            failure: failure, verdict: memory, fields: verdict.fields, tags: verdict.fields.tags)
    }

    // MARK: The same bytes

    private func confirm(
        _ known: KnownContent, by received: ReceivedReply<Body>
    ) async throws(FailedFetch) -> Arrival<Body>? {
        let (reply, request) = (received.reply, received.request)
        // A 304 without a condition in the request is an error.
        guard let fields = known.fields else { throw FailedFetch(.brokenReply, configuration.negative) }
        let refresh = configuration.caching.refresh(
            fields, with: reply.fields, rule: reply.rule, by: reply.transit)
        let verdict: StorageVerdict
        switch refresh {
        case .mismatch: return nil
        case .refreshed(let fields, let freshness):
            verdict = StorageVerdict(
                kept(fields, reply, request), freshness.marked(isPrivate: reply.isPrivate))
        case .forget(let reason): verdict = StorageVerdict(notKept: reason, since: reply.transit.responseTime)
        }
        counters.unchanged.count()
        switch known {
        case .nothing: return nil
        case .original(let held, _):
            return await extend(held, verdict, by: received, body: nil, status: 304)
        case .noPicture(let failure, _): throw noPicture(failure, verdict, reply, to: request)
        }
    }

    /// Extends the life of the held original, whose bytes and renditions stay valid.
    private func extend(
        _ held: Original, _ verdict: StorageVerdict, by received: ReceivedReply<Body>, body: Body?,
        status: Int
    ) async -> Arrival<Body> {
        let epoch = received.attempt.epoch
        var original = held
        original.freshness = verdict.freshness
        // RFC 9111 §4.3.4: the origin may send another date for the same bytes.
        if verdict.isKept {
            let now = received.reply.transit.responseTime
            let date = verdict.fields.lastModified(at: now)
            // A date in the future says nothing new, so the held date stays.
            original.lastModified = date == now ? min(held.lastModified ?? now, now) : date
        }
        var arrival = Arrival(
            original: original, epoch: epoch, tags: verdict.fields.tags, body: body, isKept: verdict.isKept)
        if verdict.isKept {
            let kept: Void? = await unlessPurged(held.key, tags: arrival.tags, since: epoch) { [original] in
                await cache.refresh(original, fields: verdict.fields)
            }
            arrival.isKept = kept != nil
        } else {
            // The bytes come first: forgetting may delete them, and the waiting requests need them.
            if body == nil { arrival.body = await cache.body(of: held) }
            await cache.forget(held.key, askedAbout: held)
        }
        arrival.forwarding = Forwarding(
            reason: .stale, status: status, isStored: arrival.isKept && holds(arrival.original))
        return arrival
    }

    // MARK: New bytes

    private func examine(
        _ body: Body, _ length: Int, _ digest: OriginalDigest, _ verdict: StorageVerdict,
        of received: ReceivedReply<Body>
    ) async throws(FailedFetch) -> (Original, ImageDetails?, StageTimes) {
        let (reply, request) = (received.reply, received.request)
        let started = environment.ticks()
        func times() -> StageTimes { StageTimes(inspect: Int(environment.ticks() - started)) }
        let header: ImageHeader
        var details: ImageDetails?
        do throws(DecodeFailure) {
            if received.attempt.purpose == .describing {
                (header, details) = try await decoder.description(of: body)
            } else {
                header = try await decoder.header(of: body)
            }
            // An original of which no recipe can be made is not worth keeping.
            try configuration.pictures.check(header)
        } catch {
            let failure = PipelineFailure(decode: error).after(times())
            guard case .decode = failure.reason else { throw FailedFetch(failure: failure) }
            throw noPicture(failure, verdict, reply, to: request)
        }
        let original = Original(
            key: request.key, digest: digest, length: length, header: header,
            lastModified: StoredFields(reply.fields).lastModified(at: reply.transit.responseTime),
            freshness: verdict.freshness)
        return (original, details, times())
    }

    private func take(
        _ original: Original, _ body: Body, _ verdict: StorageVerdict, of received: ReceivedReply<Body>
    ) async -> Arrival<Body> {
        let epoch = received.attempt.epoch
        var arrival = Arrival(
            original: original, epoch: epoch, tags: verdict.fields.tags, body: body, isKept: verdict.isKept)
        if verdict.isKept {
            let kept = await unlessPurged(original.key, tags: arrival.tags, since: epoch) {
                await traced("keep") { _ in
                    await cache.keep(original, fields: verdict.fields, body: body)
                }
            }
            arrival.isKept = kept != nil
            arrival.body = kept ?? body
        } else if received.request.source.sentTarget == nil {
            // Not for a request with parameters outside of the key, such as a signature, because wrong ones may lead to another
            // picture.
            if let recorded = received.recorded {
                await cache.forget(original.key, askedAbout: recorded)
            } else {
                // Nothing is to be forgotten, here or in the shared store.
                cache.endAnswers(of: original.key)
            }
        }
        arrival.forwarding = Forwarding(
            reason: received.known.original == nil ? .uriMiss : .stale, status: 200,
            isStored: arrival.isKept && holds(arrival.original))
        return arrival
    }

    /// The fields to store, with the request's fields by which the origins selected the reply.
    private func kept(
        _ fields: StoredFields, _ reply: OriginReply<Body>, _ request: OriginRequest
    ) -> StoredFields {
        var fields = fields
        fields.select(by: reply.sentFields ?? request.fields, redirects: reply.transit.redirects)
        return fields
    }

    private func assess(_ reply: OriginReply<Body>, to request: OriginRequest) -> StorageVerdict {
        let decision = configuration.caching.assess(
            status: 200, fields: reply.fields, rule: reply.rule, by: reply.transit)
        switch decision {
        case .store(let freshness):
            let fields = StoredFields(reply.fields, target: reply.target)
            return StorageVerdict(kept(fields, reply, request), freshness.marked(isPrivate: reply.isPrivate))
        case .doNotStore(let reason):
            return StorageVerdict(notKept: reason, since: reply.transit.responseTime)
        }
    }
}

extension Freshness {
    /// Marks an original that was opened by Pictor's own credentials as private to its clients, whatever the origin's answer says
    /// (RFC 9111 §3.5).
    fileprivate func marked(isPrivate: Bool) -> Freshness {
        var freshness = self
        if isPrivate { freshness.flags.insert(.privateToClients) }
        return freshness
    }
}

/// The longest pause of `Retry-After` that is passed on, in seconds: more than a day is a mistake.
private let longestPause = 86_400
