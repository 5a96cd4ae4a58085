// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

extension Pipeline {
    /// Purges originals, or makes them stale, with everything derived from them: renditions, unless another
    /// original has the same bytes, ready answers, and remembered failures. Once this returns nothing older
    /// is served, and nothing that was under way meanwhile is kept (see `PurgeLog`).
    /// - Throws: if the index cannot be read or written. If it can be read but not written, the purge is carried out nevertheless.
    package func purge(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgeResult {
        var result = PurgeResult()
        let number = purges.open(order.selection)
        result.fetches = originals.closeToJoiners { order.selection.mayMatch($0.original) }
        await purges.settle()
        let purged: PurgedOriginals
        do throws(IndexUnreadable) {
            purged = try await cache.purgeOriginals(order)
        } catch {
            purges.close(number, keys: [])
            throw error
        }
        result.originals = purged.count
        purges.close(number, keys: purged.keys)
        await purges.settle()
        // Before the step that may throw, because the originals are gone, and the failures remembered for them must go too.
        result.failures = failures.forget { purged.include($0, $1, of: order) }
        (result.renditions, result.answers) = try await cache.purgeRenditions(order, of: purged)
        if let failure = purged.failure { throw failure }
        return result
    }

    /// The numbers that `purge` would return now. Removes nothing, and disturbs nothing that is under way.
    /// - Throws: if the cache cannot tell its contents.
    package func forecast(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgeResult {
        var result = PurgeResult()
        result.fetches = originals.count { order.selection.mayMatch($0.original) }
        let found = try await cache.countOriginals(order)
        result.originals = found.count
        result.failures = failures.count { found.include($0, $1, of: order) }
        (result.renditions, result.answers) = try await cache.countRenditions(order, of: found)
        return result
    }

    /// Runs `keep`, which stores the answer for later requests, unless one of its originals was purged since the request began, or
    /// its origin was asked anew: the ready answer would hide the origin's news until it is stale. Nor is an answer stored one of
    /// whose originals has got other bytes meanwhile. `keep` is told whether the cache holds all originals.
    package func keep(_ answer: Answer<Body>, by keep: (_ isHeld: Bool) -> Void) {
        let originals = [answer.original, answer.watermark].compactMap(\.self)
        let held = originals.map { cache.original($0.key) }
        guard zip(originals, held).allSatisfy({ $1 == nil || $0.digest == $1?.digest }),
            let section = purges.enter(
                answerOf: answer.original.key, and: answer.watermark?.key, tags: answer.tags,
                since: answer.epoch)
        else { return }
        keep(held.allSatisfy { $0 != nil })
        purges.leave(section)
    }

    /// Ends the ready answers of an original whose origin was asked although it was fresh, including answers that are being made.
    /// - Returns: the epoch of the work that asked, whose own answers may be kept.
    func endAnswers(of key: OriginalKey, askedBy epoch: PurgeEpoch) async -> PurgeEpoch {
        let own = purges.renew(key, by: epoch)
        await purges.settle()
        cache.forgetAnswers(of: [key])
        return own
    }

    /// Runs `keep`, which stores a rendition, unless the original or the watermark was purged since the request began.
    /// - Returns: nil if one of the two was purged.
    func unlessPurged<Result: Sendable>(
        _ arrival: Arrival<Body>, _ keep: () async -> Result
    ) async -> Result? {
        await unlessPurged(
            arrival.original.key, and: arrival.watermark?.key, tags: arrival.tags, since: arrival.epoch, keep)
    }

    /// Runs `keep`, which stores something of this original, unless the original was purged since `epoch`.
    /// - Parameter other: another original that went into it, as a watermark does; nil for none.
    /// - Returns: nil if an original was purged.
    func unlessPurged<Result: Sendable>(
        _ key: OriginalKey, and other: OriginalKey? = nil, tags: [String], since epoch: PurgeEpoch,
        _ keep: () async -> Result
    ) async -> Result? {
        guard let section = purges.enter(key, and: other, tags: tags, since: epoch) else { return nil }
        let result = await keep()
        purges.leave(section)
        return result
    }
}

extension PurgeSelection {
    /// True if the selection may match an original whose tags are unknown, as those of a fetch under way are before the reply.
    fileprivate func mayMatch(_ key: OriginalKey) -> Bool {
        if case .tag = self { true } else { matches(key) }
    }
}

extension PurgedOriginals {
    /// True for a failure that the order selects, or may select by a tag that was not kept.
    fileprivate func include(_ key: OriginalKey, _ tags: FailureTags, of order: PurgeOrder) -> Bool {
        switch tags {
        case .kept(let tags): include(key, tags: tags, of: order)
        case .unknown: order.selection.mayMatch(key) || include(key, of: order)
        }
    }
}
