// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel

extension Pipeline {
    /// Takes the origin's reply in: keeps it, or extends what was held, or lets it serve those who wait and no more.
    func receive(
        _ reply: OriginReply<Body>, to request: OriginRequest, held: Original?
    ) async throws(PipelineFailure) -> Arrival<Body> {
        switch reply.payload {
        case .notModified:
            // Nobody asked for a 304 unless there was something to compare with.
            guard let held, !request.validators.isEmpty else { throw PipelineFailure(.origin(.brokenReply)) }
            counters.unchanged.count()
            return await extend(held, by: reply, body: nil, status: 304)
        case .complete(let body, let length, let digest):
            if let held, held.digest == digest {
                counters.unchanged.count()
                return await extend(held, by: reply, body: body, status: 200)
            }
            return try await take(body, length, digest, of: request.source.key, reply, replacing: held)
        }
    }

    /// The held bytes are still the right ones, and so is every rendition of them.
    private func extend(
        _ held: Original, by reply: OriginReply<Body>, body: Body?, status: Int
    ) async -> Arrival<Body> {
        let verdict = assess(reply.fields, reply.responseTime, held: held.freshness)
        var original = held
        original.freshness = verdict.freshness
        var arrival = Arrival(original: original, body: body, isKept: verdict.isStorable)
        if verdict.isStorable {
            await shelf.refresh(held.key, freshness: verdict.freshness, validators: verdict.validators)
        } else {
            // The bytes come first: forgetting may delete them, and those who wait still need them.
            if body == nil { arrival.body = await shelf.body(of: held) }
            await shelf.forget(held.key)
        }
        arrival.forwarding = Forwarding(reason: .stale, status: status, isStored: verdict.isStorable)
        return arrival
    }

    private func take(
        _ body: Body, _ length: Int, _ digest: OriginalDigest, of key: OriginalKey, _ reply: OriginReply<Body>,
        replacing held: Original?
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let header: ImageHeader
        do throws(DecodeFailure) {
            header = try await decoder.header(of: body)
            // Whatever the recipe, one frame is decoded at least; what fails here is not worth its place on the disk.
            try configuration.pictures.check(header)
        } catch {
            throw PipelineFailure(decode: error)
        }
        let verdict = assess(reply.fields, reply.responseTime, held: nil)
        let original = Original(
            key: key, digest: digest, length: length, header: header, lastModified: nil, freshness: verdict.freshness)
        var arrival = Arrival(original: original, body: body, isKept: verdict.isStorable)
        if verdict.isStorable {
            arrival.body = await shelf.keep(original, validators: verdict.validators, body: body)
        } else if held != nil {
            await shelf.forget(key)
        }
        arrival.forwarding = Forwarding(
            reason: held == nil ? .uriMiss : .stale, status: 200, isStored: verdict.isStorable)
        return arrival
    }
}
