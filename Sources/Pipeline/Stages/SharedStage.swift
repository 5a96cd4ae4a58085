// SPDX-License-Identifier: Apache-2.0
//
// This node takes over originals and renditions from the shared store as if it had fetched or made them: into its own caches, and
// only if they were not purged here meanwhile. What the store lacks costs a fetch or a rendering.

internal import HTTPCaching
internal import ImageHeaders
internal import Recipes
internal import SourceURLs
internal import Synchronization
internal import Traces

/// An original of the shared store that is newer than the held one, before it is taken over.
struct SharedFinding<Body: Sendable>: Sendable {
    var entry: SharedOriginal
    /// The header and the bytes; nil if the held original has the same bytes.
    var content: (header: ImageHeader, body: Body)?

    /// The original as this node would hold it; nil if that needs bytes that are no longer held.
    func original(over held: Original?) -> Original? {
        guard let header = content?.header else {
            // The entry's freshness applies to these bytes only.
            guard var original = held, original.digest == entry.digest else { return nil }
            (original.freshness, original.lastModified) = (entry.freshness, entry.lastModified)
            return original
        }
        return Original(
            key: entry.key, digest: entry.digest, length: entry.length, header: header,
            lastModified: entry.lastModified, freshness: entry.freshness)
    }
}

extension Pipeline {
    /// Takes over the original from the shared store; nil if the store has none that is newer than the held one.
    ///
    /// The original may be stale; its validators then spare the origin sending the body. Its header is read anew, and the limits of
    /// this node apply.
    func sharedOriginal(
        _ key: OriginalKey, over held: Original?, since epoch: PurgeEpoch
    ) async -> Arrival<Body>? {
        guard looks(for: held) else { return nil }
        let started = environment.ticks()
        var arrival = await traced("shared store") { _ -> Arrival<Body>? in
            let answer = await cache.sharedOriginal(key)
            guard let found = await content(of: answer, over: held).found else { return nil }
            return await takeOver(found, over: held, since: epoch)
        }
        arrival?.times.cache = Int(environment.ticks() - started)
        return arrival
    }

    /// True if the store is asked for the original. It is not asked if the original must be revalidated for each request, because no
    /// node's copy is fresh then.
    func looks(for held: Original?) -> Bool {
        cache.sharesOriginals && held?.freshness.flags.contains(.alwaysValidate) != true
    }

    /// False if the store is not asked before the origin, because originals that may not be kept are in no store.
    func looksFirst(for key: OriginalKey, over held: Original?) -> Bool {
        looks(for: held) && (held != nil || !looks.withLock { $0.unshared.contains(key) })
    }

    /// Learns from the origin's answer whether looks for the original are in vain.
    func learn(_ key: OriginalKey, from arrival: Arrival<Body>?) {
        guard cache.sharesOriginals else { return }
        // An original that may be kept, but was not because of a purge, does not count.
        let isUnshared = arrival.map {
            !$0.isKept && $0.original.freshness.flags.contains(.alwaysValidate)
        }
        looks.withLock { $0.unshared.learn(key, isUnshared: isUnshared ?? false) }
    }

    /// The store's original with its header and bytes, if it is of use.
    func content(
        of answer: LookResult<SharedAnswer<Body>>, over held: Original?
    ) async -> LookResult<SharedFinding<Body>> {
        guard case .found(let answer) = answer else {
            if case .silent = answer { return .silent }
            return .absent
        }
        let entry = answer.entry
        guard isOfUse(entry, over: held) else { return .absent }
        if held?.digest == entry.digest { return .found(SharedFinding(entry: entry)) }
        var body = answer.body
        if body == nil {
            let read = await cache.sharedBody(of: entry)
            if case .silent = read { return .silent }
            body = read.found
        }
        guard let body, let header = await header(of: body) else { return .absent }
        return .found(SharedFinding(entry: entry, content: (header, body)))
    }

    /// Takes over the store's original; nil if it was purged meanwhile, or needs bytes that are no longer held.
    /// - Parameter held: the original that is held now, which may be newer than the one held when the look began.
    func takeOver(
        _ found: SharedFinding<Body>, over held: Original?, since epoch: PurgeEpoch
    ) async -> Arrival<Body>? {
        let (entry, tags) = (found.entry, found.entry.fields.tags)
        guard let original = found.original(over: held) else { return nil }
        var store = StorePart(.hit(for: held == nil ? .uriMiss : .stale))
        guard let body = found.content?.body else {
            let kept: Void? = await unlessPurged(entry.key, tags: tags, since: epoch) {
                await cache.adopt(refreshed: original, fields: entry.fields)
            }
            return kept.map { Arrival(original: original, epoch: epoch, tags: tags, store: store) }
        }
        let kept = await unlessPurged(entry.key, tags: tags, since: epoch) {
            await cache.adopt(original, fields: entry.fields, body: body)
        }
        store.isStored = holds(original)
        return kept.map { [store] in
            Arrival(original: original, epoch: epoch, tags: tags, body: $0, store: store)
        }
    }

    /// True if the entry is newer than the held original, and this node's request would select the same representation.
    func isOfUse(_ entry: SharedOriginal, over held: Original?) -> Bool {
        if let held, held.freshness.responseTime >= entry.freshness.responseTime { return false }
        // Another node's request may have selected another representation (RFC 9111 §4.1). An entry that must be revalidated for
        // each request is not checked, because the origin selects then.
        return entry.freshness.flags.contains(.alwaysValidate) || isSelected(entry.fields, of: entry.key)
    }

    /// The header of the store's bytes; nil if they would be refused from an origin as well.
    private func header(of body: Body) async -> ImageHeader? {
        do throws(DecodeFailure) {
            let header = try await decoder.header(of: body)
            try configuration.pictures.check(header)
            return header
        } catch {
            return nil
        }
    }

    /// Takes over the rendition from the shared store; nil if the store has none.
    func sharedRendition(_ key: RenditionKey, for arrival: Arrival<Body>) async -> (Rendition, Body)? {
        guard cache.isShared, arrival.isKept else { return nil }
        let original = arrival.original
        let found = await traced("shared store") { _ in
            await cache.sharedRendition(key, of: original.digest, bearing: arrival.watermark?.digest)
        }
        guard let (rendition, body) = found else { return nil }
        let kept = await unlessPurged(arrival) {
            await cache.adopt(rendition, of: original, bearing: arrival.watermark, body: body)
        }
        return kept.map { (rendition, $0) }
    }
}

extension Pipeline {
    /// Takes over the rendition from the shared store if a look pays; nil otherwise.
    func firstLook(_ key: RenditionKey, for arrival: Arrival<Body>) async -> (Rendition, Body)? {
        switch arrival.look {
        case .always: return await sharedRendition(key, for: arrival)
        case .never, .forbidden: return nil
        case .byOdds(let origin):
            guard looks.withLock({ $0.origins.isDue(origin) }) else { return nil }
            let found = await sharedRendition(key, for: arrival)
            looks.withLock { [hasFound = found != nil] in $0.origins.learn(hasFound: hasFound, of: origin) }
            return found
        }
    }
}
