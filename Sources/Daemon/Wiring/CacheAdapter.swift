// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Stores

/// The pipeline's cache port over the caches in memory and on disk, and the shared store behind them.
struct CacheAdapter: CachePort {
    let memory: AnswerCache
    let disk: DiskCache
    /// Nil without a shared store.
    let shared: SharedStore?

    // MARK: Originals

    var newestAtStart: Timestamp { disk.opened?.newestAtOpening ?? Timestamp(milliseconds: 0) }

    var isWithheld: Bool { disk.isWithheld }

    func original(_ key: OriginalKey) -> Original? { disk.store?.original(key) }

    // `opened` is used because a disk that hangs will answer again, and because others use the disk for which this request has
    // waited long enough (`DiskWait`).
    func recorded(_ key: OriginalKey) -> Original? { disk.opened?.original(key) }

    func fields(of original: Original) async -> StoredFields? {
        StoredFields(serialized: await disk.perform { $0.cachingFields(of: original) } ?? "")
    }

    func tagsAtHand(of original: Original) -> [String]? { disk.store?.tagsAtHand(of: original) }

    func body(of original: Original) async -> Body? {
        await disk.perform { $0.openOriginal(original.digest, of: original.key) } ?? nil
    }

    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        let kept = await adopt(original, fields: fields, body: body)
        shared?.offer(original, fields: fields, body: kept)
        return kept
    }

    func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        let kept = await disk.keep(original, cachingFields: fields.serialized, body: body)
        // Another fetch of the URL may have brought yet other bytes meanwhile.
        memory.endAnswers(of: original.key, except: self.original(original.key)?.digest ?? original.digest)
        return kept
    }

    func refresh(_ original: Original, fields: StoredFields) async {
        await adopt(refreshed: original, fields: fields)
        // An original that is confirmed at each request would otherwise be written to the store each time, to no effect.
        guard let shared, !original.freshness.flags.contains(.alwaysValidate),
            let held = disk.store?.original(original.key), held.digest == original.digest
        else { return }
        shared.offer(confirmed: held, fields: fields) { [disk] in
            disk.store?.openOriginal(held.digest, of: held.key)
        }
    }

    func adopt(refreshed original: Original, fields: StoredFields) async {
        disk.opened?.refreshOriginal(
            original.key, of: original.digest, freshness: original.freshness,
            lastModified: original.lastModified, cachingFields: fields.serialized)
    }

    func forget(_ key: OriginalKey, askedAbout known: Original?) async {
        if let held = recorded(key), held.isNewer(than: known) { return }
        // First, so that it does not end the answers of an original that is kept meanwhile.
        endAnswers(of: key)
        disk.opened?.forgetOriginal(key)
        shared?.forget(key)
    }

    func endAnswers(of key: OriginalKey) { memory.endAnswers(of: key, except: nil) }

    func forgetAnswers(of keys: Set<OriginalKey>) {
        _ = memory.remove { original, _ in keys.contains(original) }
    }

    // MARK: Renditions

    var keepsRenditions: Bool { disk.health == .good }

    func holds(_ key: RenditionKey) -> Bool {
        memory.body(of: key) != nil || disk.store?.rendition(key) != nil
    }

    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: Body, level: CacheLevel)? {
        if let (rendition, body) = memory.body(of: key) { return (rendition, body, .memory) }
        let found = disk.store?.openCachedRendition(key, copying: memory.longestCopy)
        return found.map { ($0.rendition, $0.body, .disk) }
    }

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, level: CacheLevel)? {
        if let found = renditionAtHand(key) { return found }
        guard disk.store?.rendition(key) != nil else { return nil }
        let found = await disk.perform { $0.openRendition(key) } ?? nil
        return found.map { ($0.rendition, $0.body, .disk) }
    }

    /// The memory cache gets the rendition later, with the answer.
    func keep(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body {
        let kept = await adopt(rendition, of: original, bearing: watermark, body: body)
        shared?.offer(rendition, of: original.digest, body: kept)
        return kept
    }

    func adopt(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body {
        await disk.keep(rendition, of: original, bearing: watermark, body: body)
    }

    // MARK: The shared store

    var isShared: Bool { shared != nil }
    var sharesOriginals: Bool { shared?.sharesOriginals ?? false }
    var sharesRenditions: Bool { shared?.sharesRenditions ?? false }

    var lookTimes: LookTimes? { shared?.lookTimes }

    func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>> {
        await shared?.lookUp(key) ?? .absent
    }

    func sharedBody(of original: SharedOriginal) async -> LookResult<Body> {
        await shared?.lookUpBody(of: original) ?? .absent
    }

    func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest?
    ) async -> (rendition: Rendition, body: Body)? {
        await shared?.rendition(key, of: original, bearing: watermark)
    }

    func isWritten(_ original: Original, tags: [String]) async -> Bool {
        await shared?.isWritten(original, tags: tags) ?? false
    }

    func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool {
        await shared?.isWritten(key, of: original) ?? false
    }
}
