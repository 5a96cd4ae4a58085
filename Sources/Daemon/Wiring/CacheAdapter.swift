// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPCaching
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Stores

/// The pipeline's cache port over both caches, in memory and on disk.
struct CacheAdapter: CachePort {
    let memory: AnswerCache
    let disk: DiskCache

    // MARK: Originals

    func original(_ key: OriginalKey) -> Original? { disk.store?.original(key) }

    func fields(of original: Original) async -> StoredFields? {
        StoredFields(serialized: await disk.perform { $0.cachingFields(of: original.key) } ?? "")
    }

    func body(of original: Original) async -> Body? {
        await disk.perform { $0.openOriginal(original.digest) } ?? nil
    }

    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await disk.perform {
            $0.keepOriginal(original, cachingFields: fields.serialized, body: body)
        } ?? body
    }

    func refresh(_ key: OriginalKey, freshness: Freshness, fields: StoredFields) async {
        disk.store?.refreshOriginal(key, freshness: freshness, cachingFields: fields.serialized)
    }

    func forget(_ key: OriginalKey) async { disk.store?.forgetOriginal(key) }

    // MARK: Renditions

    func holds(_ key: RenditionKey) -> Bool {
        memory.body(of: key) != nil || disk.store?.rendition(key) != nil
    }

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, inMemory: Bool)? {
        if let (rendition, body) = memory.body(of: key) { return (rendition, body, true) }
        guard let disk = disk.store, disk.rendition(key) != nil else { return nil }
        if let found = disk.openCachedRendition(key) { return (found.rendition, found.body, false) }
        let found = await disk.perform { $0.openRendition(key) }
        return found.map { ($0.rendition, $0.body, false) }
    }

    /// The memory cache gets the rendition later, with its answer.
    func keep(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body {
        await disk.perform { $0.keepRendition(rendition, of: original, body: body) } ?? body
    }

    // MARK: Purges

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        do throws(IndexUnreadable) {
            return try await onDisk { disk throws(IndexUnreadable) in try disk.purgeOriginals(order) }
        } catch {
            // The originals that the order names are removed from memory all the same.
            _ = memory.remove { order.selection.matches($0, tags: $1) }
            throw error
        }
    }

    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        // A soft purge removes answers like a hard one, because they hold the freshness from before it.
        let answers = memory.remove { key, tags in
            order.selection.matches(key, tags: tags) || purged.keys.contains(key)
        }
        let renditions = try await onDisk { disk throws(IndexUnreadable) in
            try disk.purgeRenditions(order, of: purged)
        }
        return (renditions, answers)
    }

    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        try await onDisk { disk throws(IndexUnreadable) in try disk.countOriginals(order) }
    }

    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        let answers = memory.count { key, tags in
            order.selection.matches(key, tags: tags) || found.keys.contains(key)
        }
        let renditions = try await onDisk { disk throws(IndexUnreadable) in
            try disk.countRenditions(order, of: found)
        }
        return (renditions, answers)
    }

    /// Runs `work` on the disk. A missing disk is an error, because its pictures would come back with it.
    private func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable (DiskStore) throws(IndexUnreadable) -> Value
    ) async throws(IndexUnreadable) -> Value {
        let result = await disk.perform { disk in
            Result { () throws(IndexUnreadable) in try work(disk) }
        }
        guard let result else { throw IndexUnreadable("There is no cache on disk at present.") }
        return try result.get()
    }
}
