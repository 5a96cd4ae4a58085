// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// The stored originals and renditions. A failure to keep something is no error here, because it only costs time later.
package protocol CachePort<Body>: Sendable {
    associatedtype Body: Sendable

    /// When the newest original that was held at the start had arrived, by the wall clock at that time; 1970 if none was held.
    var newestAtStart: Timestamp { get }
    /// True if the calling task gets nothing from the cache, because its request has waited for the disk long enough, although other
    /// requests do. Must not block.
    var isWithheld: Bool { get }
    /// The held original, from memory; nil for none. Must not block.
    func original(_ key: OriginalKey) -> Original?
    /// The original of this key that the cache has on record, even if `original` tells nothing: the cache may be withheld, or its
    /// disk may hang. It is for comparison only. Must not block.
    func recorded(_ key: OriginalKey) -> Original?
    /// The fields of a held original; nil or without a field if it has vanished, or if they cannot be read. May read the index, so
    /// it is asked only before going to the network, and for tags that are not at hand.
    func fields(of original: Original) async -> StoredFields?
    /// The purge tags of a held original; nil if only `fields` may tell them. Answers from memory; must not block.
    func tagsAtHand(of original: Original) -> [String]?
    /// The body of a held original; nil if it was missing or damaged, and is forgotten.
    func body(of original: Original) async -> Body?
    /// Keeps the original in place of one with the same key; `original` finds it from then on. Ready answers made of other bytes end.
    /// - Returns: the body to use from now on: the same bytes, perhaps elsewhere.
    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// Keeps the freshness and the date of a held original whose bytes stay the same.
    func refresh(_ original: Original, fields: StoredFields) async
    /// Forgets the original that a fetch asked about, if it is held, and ends its ready answers, which may be fresh although it was
    /// evicted. An original that arrived after the fetch began stays: after a purge or a change of settings two fetches for one key
    /// can be under way, and the later one may end first.
    /// - Parameter known: the original that was on record before the origin was asked; nil for none.
    func forget(_ key: OriginalKey, askedAbout known: Original?) async
    /// Ends the ready answers made of an original, which may be fresh although it was evicted. Must not block.
    func endAnswers(of key: OriginalKey)
    /// Removes the ready answers made of these originals, because more is known of them now than when the answers were made. Scans
    /// all ready answers.
    func forgetAnswers(of keys: Set<OriginalKey>)
    /// Forgets originals that may hold the answer of another URL, and nothing else with the same bytes. Returns once no restart can
    /// undo that.
    /// - Throws: if a restart may undo it. The originals are forgotten as far as possible then.
    func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable)

    /// True if a rendition kept now is found again, whatever else is in memory by then, because there is a disk cache and it accepts
    /// files. Must not block.
    var keepsRenditions: Bool { get }
    /// True if `rendition` would find the rendition. Answers from memory; must not block.
    func holds(_ key: RenditionKey) -> Bool
    /// The held rendition, and the level it was at; nil for none.
    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, level: CacheLevel)?
    /// As `rendition`, but also nil if its bytes cannot be had without waiting. Must not block.
    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: Body, level: CacheLevel)?
    /// Keeps the rendition; `rendition` finds it from then on. Returns the body as for originals.
    /// - Parameter watermark: the original that the rendition bears as a watermark; nil for none.
    func keep(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body

    /// True if there is a store that several nodes share.
    var isShared: Bool { get }
    /// True if the shared store takes originals.
    var sharesOriginals: Bool { get }
    /// True if the shared store takes renditions.
    var sharesRenditions: Bool { get }
    /// How long the shared store takes to answer; nil if the pipeline waits for late answers.
    var lookTimes: LookTimes? { get }
    /// The original in the shared store. Asked before the origin.
    func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>>
    /// The original's bytes, if they did not come with `sharedOriginal`.
    func sharedBody(of original: SharedOriginal) async -> LookResult<Body>
    /// The rendition in the shared store; nil for none. Asked before the rendition is made.
    /// - Parameter watermark: the bytes that the rendition bears as a watermark; nil for none.
    func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest?
    ) async -> (rendition: Rendition, body: Body)?
    /// Waits until the last kept version of the original is in the shared store, or is certain not to be.
    /// - Returns: true if other nodes find the original there.
    func isWritten(_ original: Original, tags: [String]) async -> Bool
    /// Waits as `isWritten` above does, for a rendition.
    func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool
    /// As `keep`, for an original that came from the shared store.
    func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body
    /// As `refresh`, for an original that came from the shared store.
    func adopt(refreshed original: Original, fields: StoredFields) async
    /// As `keep`, for a rendition that came from the shared store.
    func adopt(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body

    /// Removes the originals, or makes them stale. Returns once no restart can undo that, or with a `failure` in the result, which
    /// the caller throws after it has done its own part.
    /// - Throws: if the cache cannot tell what it holds.
    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The second half of a purge: removes renditions of bytes without an original, and the ready answers in
    /// memory. A soft purge leaves the renditions.
    /// - Throws: if the cache cannot tell what it holds.
    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)

    /// The result that `purgeOriginals` would have; changes nothing.
    /// - Throws: if the cache cannot tell what it holds.
    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals
    /// The result that `purgeRenditions` would have; changes nothing.
    /// - Throws: if the cache cannot tell what it holds.
    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int)
}

/// The values for a cache without waits, and without a shared store.
extension CachePort {
    package var isWithheld: Bool { false }
    package func recorded(_ key: OriginalKey) -> Original? { original(key) }
    package var isShared: Bool { false }
    package var sharesOriginals: Bool { isShared }
    package var sharesRenditions: Bool { isShared }
    package var lookTimes: LookTimes? { nil }
    package func isWritten(_ original: Original, tags: [String]) async -> Bool { false }
    package func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool { false }
    package func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<Body>> { .absent }
    package func sharedBody(of original: SharedOriginal) async -> LookResult<Body> { .absent }
    package func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest?
    ) async -> (rendition: Rendition, body: Body)? { nil }

    package func adopt(_ original: Original, fields: StoredFields, body: Body) async -> Body {
        await keep(original, fields: fields, body: body)
    }

    package func adopt(refreshed original: Original, fields: StoredFields) async {
        await refresh(original, fields: fields)
    }

    package func adopt(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body {
        await keep(rendition, of: original, bearing: watermark, body: body)
    }
}
