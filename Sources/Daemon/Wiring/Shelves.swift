// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel
internal import Kernel
internal import Pipeline
internal import Stores

/// The pipeline's shelf is two: the near one in memory, and the far one on disk.
struct Shelves: ShelfPort {
    let near: ShortcutTable
    let far: DiskStore

    // MARK: Originals

    func original(_ key: OriginalKey) -> Original? { far.original(key) }

    func fields(of original: Original) async -> StoredFields? {
        StoredFields(serialized: await far.perform { $0.cachingFields(of: original.key) })
    }

    func body(of original: Original) async -> Body? {
        await far.perform { $0.openOriginal(original.digest) }
    }

    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await far.perform {
            $0.keepOriginal(original, cachingFields: fields.serialized, body: body)
        }
    }

    func refresh(_ key: OriginalKey, freshness: Freshness, fields: StoredFields) async {
        far.refreshOriginal(key, freshness: freshness, cachingFields: fields.serialized)
    }

    func forget(_ key: OriginalKey) async { far.forgetOriginal(key) }

    // MARK: Renditions

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, near: Bool)? {
        if let (rendition, body) = near.body(of: key) { return (rendition, body, true) }
        guard far.rendition(key) != nil else { return nil }
        let found = await far.perform { $0.openRendition(key) }
        return found.map { ($0.rendition, $0.body, false) }
    }

    /// The near shelf takes it when its answer is known.
    func keep(_ rendition: Rendition, of original: OriginalDigest, body: Body) async -> Body {
        await far.perform { $0.keepRendition(rendition, of: original, body: body) }
    }

    // MARK: Purges

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        try await far.perform { disk in
            Result { () throws(IndexUnreadable) in try disk.purgeOriginals(order) }
        }.get()
    }

    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        // Neither is found by itself any more. Answers outlive a soft purge no more than a hard one: they hold the
        // freshness of before.
        let renditions = try await far.perform { disk in
            Result { () throws(IndexUnreadable) in try disk.purgeRenditions(order, of: purged) }
        }.get()
        let answers = near.remove { key, tags in
            order.selection.matches(key, tags: tags) || purged.keys.contains(key)
        }
        return (renditions, answers)
    }
}
