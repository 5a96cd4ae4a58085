// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel
internal import Kernel
internal import Pipeline
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

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, near: Bool)? {
        if let (rendition, body) = near.body(of: key) { return (rendition, body, true) }
        guard let far = far.store, far.rendition(key) != nil else { return nil }
        let found = await far.perform { $0.openRendition(key) }
        return found.map { ($0.rendition, $0.body, false) }
    }

    /// The near shelf takes it when its answer is known.
    func keep(_ rendition: Rendition, body: Body) async -> Body {
        await far.perform { $0.keepRendition(rendition, body: body) } ?? body
    }
}
