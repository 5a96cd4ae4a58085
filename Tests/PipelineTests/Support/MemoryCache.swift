// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import SourceURLs
import Synchronization

/// A cache of dictionaries, from which tests can remove things.
final class MemoryCache: CachePort {
    /// True for a task that has waited for the cache long enough.
    @TaskLocal static var isWithheld: Bool = false

    private struct State {
        var originals: [OriginalKey: (original: Original, fields: StoredFields)] = [:]
        var bodies: [OriginalDigest: TestBody] = [:]
        var renditions: [RenditionKey: (rendition: Rendition, body: TestBody)] = [:]
        var sources: [RenditionKey: Set<OriginalDigest>] = [:]
        var looks = 0
        var ended: [OriginalKey] = []
        var isFar = false
        var isForgetful = false
        var isBroken = false
        var isHalfBroken = false
        var hidesFields = false
        var hidesTags = false
        var isFull = false
    }

    private let state = Mutex(State())
    /// The shared store; nil for none.
    let store: SharedStoreDouble?

    init(store: SharedStoreDouble? = nil) { self.store = store }

    // MARK: What tests do to it

    /// Loses the bytes of all originals, as if their files were damaged.
    func loseBodies() { state.withLock { $0.bodies = [:] } }
    /// Loses the fields of all originals, as if the index could not be read.
    func loseFields() {
        state.withLock { state in
            state.originals = state.originals.mapValues {
                (original: $0.original, fields: StoredFields(Fields()))
            }
        }
    }
    func loseRenditions() { state.withLock { $0.renditions = [:] } }
    /// Loses an original, as if there were no room for it.
    func evict(_ key: OriginalKey) {
        state.withLock { state in
            guard let held = state.originals.removeValue(forKey: key) else { return }
            state.bodies[held.original.digest] = nil
        }
    }
    /// Empties memory, as after a restart.
    func moveAway() { state.withLock { $0.isFar = true } }

    /// Keeps nothing from now on, as if the disk accepted nothing.
    func becomeForgetful() { state.withLock { $0.isForgetful = true } }

    /// Keeps no further original, as if the disk were full.
    func becomeFull() { state.withLock { $0.isFull = true } }

    /// Makes the original as fresh as when it arrived.
    func confirm(_ key: OriginalKey, at now: Timestamp) {
        state.withLock { $0.originals[key]?.original.freshness.responseTime = now }
    }

    /// Makes the index unreadable.
    func breakIndex() { state.withLock { $0.isBroken = true } }
    /// Makes the index unreadable for variants only.
    func hideVariants() { state.withLock { $0.isHalfBroken = true } }

    /// Makes the index unreadable for fields: none are found then, as in the cache on disk.
    func hideFields() { state.withLock { $0.hidesFields = true } }

    /// Leaves tags in the index alone, as if too many were held in memory.
    func hideTags() { state.withLock { $0.hidesTags = true } }

    var originalCount: Int { state.withLock(\.originals.count) }
    var renditionCount: Int { state.withLock(\.renditions.count) }
    /// The originals whose ready answers were ended alone.
    var ended: [OriginalKey] { state.withLock(\.ended) }
    /// How often a rendition was looked up.
    var looks: Int { state.withLock(\.looks) }

    // MARK: CachePort

    var newestAtStart: Timestamp {
        state.withLock { $0.originals.values.map(\.original.freshness.responseTime).max() }
            ?? Timestamp(milliseconds: 0)
    }

    var isWithheld: Bool { Self.isWithheld }

    func original(_ key: OriginalKey) -> Original? { isWithheld ? nil : recorded(key) }

    func recorded(_ key: OriginalKey) -> Original? { state.withLock { $0.originals[key]?.original } }

    func fields(of original: Original) async -> StoredFields? {
        state.withLock {
            $0.hidesFields ? StoredFields(serialized: "") : $0.originals[original.key]?.fields
        }
    }

    func tagsAtHand(of original: Original) -> [String]? {
        state.withLock { state in
            guard let held = state.originals[original.key], held.original.digest == original.digest else {
                return nil
            }
            let tags = held.fields.tags
            return tags.isEmpty || !state.hidesTags && !state.hidesFields ? tags : nil
        }
    }

    func body(of original: Original) async -> TestBody? {
        guard !isWithheld else { return nil }
        return state.withLock { state in
            let body = state.bodies[original.digest]
            if body == nil { state.originals[original.key] = nil }
            return body
        }
    }

    func keep(_ original: Original, fields: StoredFields, body: TestBody) async -> TestBody {
        store?.offer(original, fields: fields, body: body)
        return await adopt(original, fields: fields, body: body)
    }

    func adopt(_ original: Original, fields: StoredFields, body: TestBody) async -> TestBody {
        state.withLock { state in
            guard !state.isFull else { return }
            state.originals[original.key] = (original, fields)
            state.bodies[original.digest] = body
        }
        return body
    }

    func refresh(_ original: Original, fields: StoredFields) async {
        await adopt(refreshed: original, fields: fields)
        if let held = self.original(original.key), held.digest == original.digest {
            store?.offer(held, fields: fields, body: nil)
        }
    }

    func adopt(refreshed original: Original, fields: StoredFields) async {
        state.withLock { state in
            guard state.originals[original.key]?.original.digest == original.digest else { return }
            state.originals[original.key]?.original.freshness = original.freshness
            state.originals[original.key]?.original.lastModified = original.lastModified
            state.originals[original.key]?.fields = fields
        }
    }

    func forget(_ key: OriginalKey, askedAbout known: Original?) async {
        let isNewer = state.withLock { $0.originals[key]?.original.isNewer(than: known) ?? false }
        if !isNewer { evict(key) }
    }

    func endAnswers(of key: OriginalKey) { state.withLock { $0.ended.append(key) } }

    func forgetAnswers(of keys: Set<OriginalKey>) {}

    func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        let isBroken = state.withLock { state in
            for key in keys { state.originals[key] = nil }
            return state.isBroken
        }
        if isBroken { throw IndexUnreadable("broken by the test", isCarriedOut: true) }
    }

    var keepsRenditions: Bool { state.withLock { !$0.isForgetful } }
    func holds(_ key: RenditionKey) -> Bool { renditionAtHand(key) != nil }

    func rendition(_ key: RenditionKey) async -> (rendition: Rendition, body: TestBody, level: CacheLevel)? {
        renditionAtHand(key)
    }

    func renditionAtHand(_ key: RenditionKey) -> (rendition: Rendition, body: TestBody, level: CacheLevel)? {
        state.withLock { state in
            state.looks += 1
            return state.renditions[key].map { ($0.rendition, $0.body, state.isFar ? .disk : .memory) }
        }
    }

    func keep(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: TestBody
    ) async -> TestBody {
        store?.offer(rendition, body: body)
        return await adopt(rendition, of: original, bearing: watermark, body: body)
    }

    func adopt(
        _ rendition: Rendition, of original: Original, bearing watermark: Original?, body: TestBody
    ) async -> TestBody {
        state.withLock { state in
            state.renditions[rendition.key] = (rendition, body)
            state.sources[rendition.key] = Set([original.digest, watermark?.digest].compactMap(\.self))
        }
        return body
    }

    // MARK: The shared store

    var isShared: Bool { store != nil }
    var sharesOriginals: Bool { store?.sharesOriginals ?? false }
    var lookTimes: LookTimes? { store?.times }
    func sharedOriginal(_ key: OriginalKey) async -> LookResult<SharedAnswer<TestBody>> {
        guard let store else { return .absent }
        let found = await store.original(key)
        if store.isSilent { return .silent }
        return found.map { .found(SharedAnswer(entry: $0, body: store.enclosed(in: $0))) } ?? .absent
    }
    func sharedBody(of original: SharedOriginal) async -> LookResult<TestBody> {
        await store?.body(of: original).map { .found($0) } ?? .absent
    }

    func sharedRendition(
        _ key: RenditionKey, of original: OriginalDigest, bearing watermark: OriginalDigest?
    ) async -> (rendition: Rendition, body: TestBody)? { store?.rendition(key) }

    func isWritten(_ original: Original, tags: [String]) async -> Bool {
        await store?.isWritten { $0.holds(original.key) } ?? false
    }

    func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool {
        await store?.isWritten { $0.rendition(key) != nil } ?? false
    }

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        let isBroken = state.withLock(\.isBroken)
        if isBroken { throw IndexUnreadable("broken by the test") }
        return state.withLock { state in
            var purged = PurgedOriginals()
            if state.isHalfBroken { purged.failure = IndexUnreadable("broken by the test") }
            for (key, held) in state.originals
            where order.selection.matches(key, tags: held.fields.tags) {
                purged.count += 1
                if case .tag = order.selection { purged.keys.insert(key) }
                if order.isSoft {
                    let now = held.original.freshness.responseTime
                    state.originals[key]?.original.freshness = held.original.freshness.expired(at: now)
                } else {
                    state.originals[key] = nil
                    state.bodies[held.original.digest] = nil
                    purged.orphans.insert(held.original.digest)
                }
            }
            return purged
        }
    }

    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        state.withLock { state in
            let before = state.renditions.count
            state.renditions = state.renditions.filter { key, _ in
                state.sources[key]?.isDisjoint(with: purged.orphans) ?? true
            }
            return (before - state.renditions.count, 0)
        }
    }

    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        let isBroken = state.withLock(\.isBroken)
        if isBroken { throw IndexUnreadable("broken by the test") }
        return state.withLock { state in
            var found = PurgedOriginals()
            for (key, held) in state.originals
            where order.selection.matches(key, tags: held.fields.tags) {
                found.count += 1
                if case .tag = order.selection { found.keys.insert(key) }
                if !order.isSoft { found.orphans.insert(held.original.digest) }
            }
            return found
        }
    }

    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        state.withLock { state in
            (
                state.renditions.keys.count { key in
                    !(state.sources[key]?.isDisjoint(with: found.orphans) ?? true)
                }, 0
            )
        }
    }
}
