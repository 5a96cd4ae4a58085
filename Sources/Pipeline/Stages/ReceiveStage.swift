// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel

/// The original that was held when the origin was asked, with the fields that made the request conditional.
struct HeldOriginal {
    var original: Original
    var fields: StoredFields
}

extension Pipeline {
    /// Takes the origin's reply in: keeps it, or extends what was held, or lets it serve those who wait and no more.
    /// - Returns: nil for a 304 that speaks of another representation than the one held (RFC 9111 §4.3.4).
    func receive(
        _ reply: OriginReply<Body>, to request: OriginRequest, held: HeldOriginal?, since epoch: PurgeEpoch
    ) async throws(PipelineFailure) -> Arrival<Body>? {
        switch reply.payload {
        case .notModified:
            // Nobody asked for a 304 unless there was something to compare with.
            guard let held, !request.validators.isEmpty else { throw PipelineFailure(.origin(.brokenReply)) }
            return await confirm(held, by: reply, since: epoch)
        case .complete(let body, let length, let digest):
            if let held, held.original.digest == digest {
                counters.unchanged.count()
                return await extend(
                    held.original, assess(reply), reply, body: body, status: 200, since: epoch)
            }
            let original = try await examine(body, length, digest, of: request.source.key, reply)
            return await take(original, body, reply, replacing: held, since: epoch)
        }
    }

    // MARK: The same bytes

    private func confirm(
        _ held: HeldOriginal, by reply: OriginReply<Body>, since epoch: PurgeEpoch
    ) async -> Arrival<Body>? {
        let refresh = configuration.caching.refresh(
            held.fields, by: reply.fields, requestTime: reply.requestTime, responseTime: reply.responseTime)
        let verdict: Verdict
        switch refresh {
        case .mismatch: return nil
        case .refreshed(let fields, let freshness): verdict = Verdict(isKept: true, freshness, fields)
        case .forget(let reason): verdict = Verdict(notKept: reason, since: reply.responseTime)
        }
        counters.unchanged.count()
        return await extend(held.original, verdict, reply, body: nil, status: 304, since: epoch)
    }

    /// The held bytes are still the right ones, and so is every rendition of them.
    private func extend(
        _ held: Original, _ verdict: Verdict, _ reply: OriginReply<Body>, body: Body?, status: Int,
        since epoch: PurgeEpoch
    ) async -> Arrival<Body> {
        var original = held
        original.freshness = verdict.freshness
        var arrival = Arrival(
            original: original, epoch: epoch, tags: verdict.fields.tags, body: body, isKept: verdict.isKept)
        if verdict.isKept {
            let kept: Void? = await unlessPurged(held.key, tags: arrival.tags, since: epoch) {
                await shelf.refresh(held.key, freshness: verdict.freshness, fields: verdict.fields)
            }
            arrival.isKept = kept != nil
        } else {
            // The bytes come first: forgetting may delete them, and those who wait still need them.
            if body == nil { arrival.body = await shelf.body(of: held) }
            await shelf.forget(held.key)
        }
        arrival.forwarding = Forwarding(reason: .stale, status: status, isStored: arrival.isKept)
        return arrival
    }

    // MARK: New bytes

    private func examine(
        _ body: Body, _ length: Int, _ digest: OriginalDigest, of key: OriginalKey, _ reply: OriginReply<Body>
    ) async throws(PipelineFailure) -> Original {
        let header: ImageHeader
        do throws(DecodeFailure) {
            header = try await decoder.header(of: body)
            // What no recipe could be made of is not worth its place on the disk.
            try configuration.pictures.check(header)
        } catch {
            throw PipelineFailure(decode: error)
        }
        let modified = reply.fields["Last-Modified"].flatMap { HTTPDate.parse($0, now: reply.responseTime) }
        return Original(
            key: key, digest: digest, length: length, header: header, lastModified: modified,
            freshness: assess(reply).freshness)
    }

    private func take(
        _ original: Original, _ body: Body, _ reply: OriginReply<Body>, replacing held: HeldOriginal?,
        since epoch: PurgeEpoch
    ) async -> Arrival<Body> {
        let verdict = assess(reply)
        var arrival = Arrival(
            original: original, epoch: epoch, tags: verdict.fields.tags, body: body, isKept: verdict.isKept)
        if verdict.isKept {
            let kept = await unlessPurged(original.key, tags: arrival.tags, since: epoch) {
                await shelf.keep(original, fields: verdict.fields, body: body)
            }
            arrival.isKept = kept != nil
            arrival.body = kept ?? body
        } else if held != nil {
            await shelf.forget(original.key)
        }
        arrival.forwarding = Forwarding(
            reason: held == nil ? .uriMiss : .stale, status: 200, isStored: arrival.isKept)
        return arrival
    }

    private func assess(_ reply: OriginReply<Body>) -> Verdict {
        let decision = configuration.caching.assess(
            status: 200, fields: reply.fields, requestTime: reply.requestTime,
            responseTime: reply.responseTime)
        switch decision {
        case .store(let freshness): return Verdict(isKept: true, freshness, StoredFields(reply.fields))
        case .doNotStore(let reason): return Verdict(notKept: reason, since: reply.responseTime)
        }
    }
}

/// What caching makes of a reply.
private struct Verdict {
    let isKept: Bool
    let freshness: Freshness
    let fields: StoredFields

    init(isKept: Bool, _ freshness: Freshness, _ fields: StoredFields) {
        self.isKept = isKept
        self.freshness = freshness
        self.fields = fields
    }

    /// Clients are told what we were told: to keep nothing, or to keep it to themselves.
    init(notKept reason: StorageDecision.Reason, since time: Timestamp) {
        isKept = false
        fields = StoredFields(Fields())
        freshness = Freshness(
            responseTime: time, initialAge: 0, lifetime: 0, staleWhileRevalidate: 0, staleIfError: 0,
            flags: [.alwaysValidate, reason == .isPrivate ? .privateToClients : .clientsMayNotStore])
    }
}
