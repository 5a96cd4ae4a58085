// SPDX-License-Identifier: Apache-2.0
//
// What a store that several nodes share has, this node takes over, as if it had fetched or made it: into its own caches,
// and only if nobody has purged it here meanwhile. Whatever the store does not give costs a fetch or a rendering.

internal import HTTPCaching
internal import ImageHeaders
internal import Recipes
internal import SourceURLs
internal import Traces

extension Pipeline {
    /// The original as the shared store has it, taken over; nil for none, or none that is newer than the held one.
    ///
    /// It may be stale: its validators then spare the origin the body. Its header is read anew, and the limits of this
    /// node hold.
    func sharedOriginal(
        _ key: OriginalKey, over held: Original?, since epoch: PurgeEpoch
    ) async -> Arrival<Body>? {
        // What is confirmed each time is fresh nowhere.
        guard cache.isShared, held?.freshness.flags.contains(.alwaysValidate) != true else { return nil }
        let started = environment.ticks()
        var arrival = await traced("shared store") { _ in
            await takeOver(key, over: held, since: epoch)
        }
        arrival?.times.cache = Int(environment.ticks() - started)
        return arrival
    }

    private func takeOver(
        _ key: OriginalKey, over held: Original?, since epoch: PurgeEpoch
    ) async -> Arrival<Body>? {
        guard let found = await newer(key, than: held) else { return nil }
        let tags = found.fields.tags
        if var original = held, original.digest == found.digest {
            original.freshness = found.freshness
            let kept: Void? = await unlessPurged(key, tags: tags, since: epoch) {
                await cache.adopt(key, freshness: found.freshness, fields: found.fields)
            }
            guard kept != nil else { return nil }
            return Arrival(original: original, epoch: epoch, tags: tags, isShared: true)
        }
        guard let body = await cache.sharedBody(of: found), let header = await header(of: body) else {
            return nil
        }
        let original = Original(
            key: key, digest: found.digest, length: found.length, header: header,
            lastModified: found.lastModified, freshness: found.freshness)
        let kept = await unlessPurged(key, tags: tags, since: epoch) {
            await cache.adopt(original, fields: found.fields, body: body)
        }
        guard let kept else { return nil }
        return Arrival(original: original, epoch: epoch, tags: tags, body: kept, isShared: true)
    }

    /// What the shared store knows of the URL, if that is newer than the held original.
    func newer(_ key: OriginalKey, than held: Original?) async -> SharedOriginal? {
        guard let found = await cache.sharedOriginal(key),
            held.map({ $0.freshness.responseTime < found.freshness.responseTime }) ?? true,
            // Another node's request may have been of another kind (RFC 9111 §4.1).
            found.fields.isSelected(by: configuration.requestFields)
        else { return nil }
        return found
    }

    /// Nil for what an origin would be refused.
    private func header(of body: Body) async -> ImageHeader? {
        do throws(DecodeFailure) {
            let header = try await decoder.header(of: body)
            try configuration.pictures.check(header)
            return header
        } catch {
            return nil
        }
    }

    /// The rendition as the shared store has it, taken over; nil for none.
    func sharedRendition(_ key: RenditionKey, for arrival: Arrival<Body>) async -> (Rendition, Body)? {
        guard cache.isShared, arrival.isKept else { return nil }
        let original = arrival.original
        let found = await traced("shared store") { _ in await cache.sharedRendition(key, of: original.digest)
        }
        guard let (rendition, body) = found else { return nil }
        let kept = await unlessPurged(original.key, tags: arrival.tags, since: arrival.epoch) {
            await cache.adopt(rendition, of: original.digest, body: body)
        }
        return kept.map { (rendition, $0) }
    }
}
