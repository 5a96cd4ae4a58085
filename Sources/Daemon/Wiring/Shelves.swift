// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import HTTPCaching
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Stores

/// The pipeline's shelf is two: the near one in memory, and the far one on disk.
struct Shelves: ShelfPort {
    let near: ShortcutTable
    let far: DiskKeeper

    // MARK: Originals

    func original(_ key: OriginalKey) -> Original? { far.store?.original(key) }

    func fields(of original: Original) async -> StoredFields? {
        StoredFields(serialized: await far.perform { $0.cachingFields(of: original.key) } ?? "")
    }

    func body(of original: Original) async -> Body? {
        await far.perform { $0.openOriginal(original.digest) } ?? nil
    }

    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await far.perform {
            $0.keepOriginal(original, cachingFields: fields.serialized, body: body)
        } ?? body
    }

    func refresh(_ key: OriginalKey, freshness: Freshness, fields: StoredFields) async {
        far.store?.refreshOriginal(key, freshness: freshness, cachingFields: fields.serialized)
    }

    func forget(_ key: OriginalKey) async { far.store?.forgetOriginal(key) }

    // MARK: Renditions

    func holds(_ key: RenditionKey) -> Bool {
        near.body(of: key) != nil || far.store?.rendition(key) != nil
    }

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, near: Bool)? {
        if let (rendition, body) = near.body(of: key) { return (rendition, body, true) }
        guard let far = far.store, far.rendition(key) != nil else { return nil }
        let found = await far.perform { $0.openRendition(key) }
        return found.map { ($0.rendition, $0.body, false) }
    }

    /// The near shelf takes it when its answer is known.
    func keep(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body {
        await far.perform { $0.keepRendition(rendition, of: original, body: body) } ?? body
    }

    // MARK: Purges

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        do throws(IndexUnreadable) {
            return try await onDisk { disk throws(IndexUnreadable) in try disk.purgeOriginals(order) }
        } catch {
            // What is known to be meant goes all the same.
            _ = near.remove { order.selection.matches($0, tags: $1) }
            throw error
        }
    }

    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        // Answers outlive a soft purge no more than a hard one: they hold the freshness of before.
        let answers = near.remove { key, tags in
            order.selection.matches(key, tags: tags) || purged.keys.contains(key)
        }
        let renditions = try await onDisk { disk throws(IndexUnreadable) in
            try disk.purgeRenditions(order, of: purged)
        }
        return (renditions, answers)
    }

    /// What is on a disk that is away now would come back with it, so that is a failure.
    private func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable (DiskStore) throws(IndexUnreadable) -> Value
    ) async throws(IndexUnreadable) -> Value {
        let result = await far.perform { disk in
            Result { () throws(IndexUnreadable) in try work(disk) }
        }
        guard let result else { throw IndexUnreadable("There is no cache on disk at present.") }
        return try result.get()
    }
}
