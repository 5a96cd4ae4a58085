// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// Originals and renditions at rest. A failure to keep something costs time later and is no error here.
package protocol CachePort<Body>: Sendable {
    associatedtype Body: Sendable

    /// When the newest of the originals arrived that were held at the start, by the clock of those days; 1970 without any.
    var newestAtStart: Timestamp { get }
    /// The held original, from memory; nil for none. Must not block.
    func original(_ key: OriginalKey) -> Original?
    /// The fields of a held original; nil if it has vanished. May read the index, so it is asked only before
    /// going to the network.
    func fields(of original: Original) async -> StoredFields?
    /// True if the fields of a held original may tell of tags; true as well where nobody knows. From memory; must not block.
    func mayBeTagged(_ original: Original) -> Bool
    /// The body of a held original; nil if it was missing or damaged, and is forgotten.
    func body(of original: Original) async -> Body?
    /// Keeps the original in place of one with the same key; `original` finds it from then on.
    /// - Returns: the body to use from now on: the same bytes, perhaps elsewhere.
    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// Keeps the freshness and the date of a held original whose bytes stay the same.
    func refresh(_ original: Original, fields: StoredFields) async
    func forget(_ key: OriginalKey) async
    /// Removes what is kept ready of the originals, because more is known of them than when that was made. Looks at all that
    /// is ready.
    func forgetAnswers(of keys: Set<OriginalKey>)
    /// Forgets originals whose answers may be other URLs', and nothing else that has the same bytes. Returns once no restart can
    /// undo that.
    /// - Throws: if one may. They are forgotten as far as they can be.
    func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable)

    /// True if what is kept now is found again, however many others are in memory by then: there is a disk, and it takes files.
    /// Must not block.
    var keepsRenditions: Bool { get }
    /// True if `rendition` would find it. From memory; must not block.
    func holds(_ key: RenditionKey) -> Bool
    /// The held rendition, and where it was; nil for none.
    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, level: CacheLevel)?
    /// As `rendition`, but nil as well where its bytes cannot be had without waiting. Must not block.
    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: Body, level: CacheLevel)?
    /// Keeps the rendition; `rendition` finds it from then on. Returns the body as for originals.
    func keep(_ rendition: Rendition, of original: Original, body: Body) async -> Body

    /// True if there is a store that several nodes share.
    var isShared: Bool { get }
    /// True if it gets originals.
    var sharesOriginals: Bool { get }
    /// True if it gets renditions.
    var sharesRenditions: Bool { get }
    /// How long it takes to answer; nil if a late answer is waited for.
    var lookTimes: LookTimes? { get }
    /// The original as the shared store knows it. Asked before an origin.
    func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>>
    /// The bytes that did not come with it.
    func sharedBody(of original: SharedOriginal) async -> LookResult<Body>
    /// The rendition that the shared store holds; nil for none. Asked before it is made.
    func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest
    ) async -> (rendition: Rendition, body: Body)?
    /// Waits until the shared store has what was kept of the original last, or will not get it.
    /// - Returns: true if other nodes find it there.
    func isWritten(_ original: Original, tags: [String]) async -> Bool
    /// Waits as `isWritten` above does, for a rendition.
    func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool
    /// As `keep`, of what came from the shared store.
    func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// As `refresh`, by what came from the shared store.
    func adopt(refreshed original: Original, fields: StoredFields) async
    /// As `keep`, of what came from the shared store.
    func adopt(_ rendition: Rendition, of original: Original, body: Body) async -> Body

    /// Removes the originals, or makes them stale; returns once no restart can undo that, or with a `failure`.
    /// `failure` of the result is thrown by the caller, once it has done its part.
    /// - Throws: if the cache cannot tell what it holds.
    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The second half of a purge: removes renditions of bytes without an original, and the ready answers in
    /// memory. A soft purge leaves the renditions.
    /// - Throws: if the cache cannot tell.
    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)

    /// The result that `purgeOriginals` would have; changes nothing.
    /// - Throws: if the cache cannot tell.
    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The result that `purgeRenditions` would have; changes nothing.
    /// - Throws: if the cache cannot tell.
    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)
}

/// Without a shared store.
extension CachePort {
    package var isShared: Bool { false }
    package var sharesOriginals: Bool { isShared }
    package var sharesRenditions: Bool { isShared }
    package var lookTimes: LookTimes? { nil }
    package func isWritten(_ original: Original, tags: [String]) async -> Bool { false }
    package func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool { false }
    package func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>> { .absent }
    package func sharedBody(of original: SharedOriginal) async -> LookResult<Body> { .absent }
    package func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest
    ) async -> (rendition: Rendition, body: Body)? { nil }

    package func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await keep(original, fields: fields, body: body)
    }

    package func adopt(refreshed original: Original, fields: StoredFields) async {
        await refresh(original, fields: fields)
    }

    package func adopt(_ rendition: Rendition, of original: Original, body: Body) async -> Body {
        await keep(rendition, of: original, body: body)
    }
}
