// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// A cache that stores nothing, so that every picture is made and handed over once.
struct NoCache: CachePort {
    var newestAtStart: Timestamp { Timestamp(milliseconds: 0) }
    func original(_ key: OriginalKey) -> Original? { nil }
    func fields(of original: Original) async -> StoredFields? { nil }
    func tagsAtHand(of original: Original) -> [String]? { [] }
    func body(of original: Original) async -> Body? { nil }
    func keep(_ original: Original, fields: StoredFields, body: Body) async -> Body { body }
    func refresh(_ original: Original, fields: StoredFields) async {}
    func forget(_ key: OriginalKey, askedAbout known: Original?) async {}
    func endAnswers(of key: OriginalKey) {}
    func forgetAnswers(of keys: Set<OriginalKey>) {}
    func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {}

    var keepsRenditions: Bool { false }
    func holds(_ key: RenditionKey) -> Bool { false }
    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: Body, level: CacheLevel)? {
        nil
    }
    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: Body, level: CacheLevel)? {
        nil
    }
    func keep(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: Body
    ) async -> Body { body }

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        PurgedOriginals()
    }
    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) { (0, 0) }
    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        PurgedOriginals()
    }
    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) { (0, 0) }
}
