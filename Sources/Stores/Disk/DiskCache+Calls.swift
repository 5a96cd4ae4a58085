// SPDX-License-Identifier: Apache-2.0

package import Kernel
package import Pipeline
internal import Recipes
internal import Synchronization

/// Calls on the store's threads. Without a store, and once the disk hangs, they return at once without a result, even to callers
/// that are waiting already.
extension DiskCache {
    /// An empty file without a name, open for reading and writing, for a body that may be kept later.
    /// - Throws: if too many bytes are held, if not even memory has room, or if only reserved descriptors are left.
    package func makeFile() throws(SystemError) -> OwnedDescriptor {
        if isSlow, let file = try? held.makeInMemory() { return file }
        guard let store else { return try held.makeInMemory() }
        return try store.makeFile()
    }

    /// As `makeFile`, for tasks: if the disk is slow, it blocks one of the store's threads, and not one of those that all tasks
    /// share.
    package func makeFileAside() async throws(SystemError) -> OwnedDescriptor {
        if isSlow, let file = try? held.makeInMemory() { return file }
        let made = await perform { store in
            Result { () throws(SystemError) in try store.makeFile() }
        }
        guard let made else { return try held.makeInMemory() }
        return try made.get()
    }

    /// Runs a blocking call on one of the store's threads; nil if there is no store or the disk hangs.
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        await measured { await $0.perform(work) }
    }

    /// Runs a call for which a request may wait, and adds its time to the request's.
    private func measured<Result: Sendable>(_ call: (DiskStore) async -> Result?) async -> Result? {
        guard let store else { return nil }
        guard let wait = DiskWait.current else { return await call(store) }
        let begun = state.withLock { $0.lookedAt }
        let result = await call(store)
        wait.add(state.withLock { $0.lookedAt } - begun)
        return result
    }

    /// Runs a call that waits for the index's writer (`DiskStore.performOrder`); nil if there is no store or the disk hangs.
    package func performOrder<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        guard let store else { return nil }
        return await store.performOrder(work)
    }

    /// As `performOrder`, but also runs while the store makes up for missed purges. Otherwise a purge that comes meanwhile would
    /// count as missed as well, and everything would have to be revalidated once more; with a purge every second, the store would
    /// never answer again.
    package func performPurge<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        guard let store = purgeable else { return nil }
        return await store.performOrder(work)
    }

    /// Keeps an original as `DiskStore.keepOriginal` does. The original that it would have replaced is forgotten even if the new
    /// one is not kept.
    ///
    /// If an original is kept only after its fetch has given up waiting, it is dropped: the fetch still has a writable descriptor
    /// and may give it to a decoder, which must not change the cache.
    /// - Returns: the body to use from now on.
    package func keep(_ original: Original, cachingFields fields: String, body: Body) async -> Body {
        let kept = await measured {
            await $0.perform {
                $0.keepOriginal(original, cachingFields: fields, body: body)
            } late: { store, _ in
                store.withdraw(original.digest)
            }
        }
        if let kept { return kept }
        opened?.forgetFormer(of: original)
        return body
    }

    /// Keeps a rendition as `DiskStore.keepRendition` does. As with an original, it is dropped if it is kept too late.
    /// - Returns: the body to use from now on.
    package func keep(
        _ rendition: Rendition, of original: Original, bearing watermark: Original? = nil, body: Body
    ) async -> Body {
        let kept = await measured {
            await $0.perform {
                $0.keepRendition(rendition, of: original, bearing: watermark, body: body)
            } late: { store, _ in
                store.forgetRendition(rendition.key)
            }
        }
        return kept ?? body
    }
}
