// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

extension Pipeline {
    /// Takes originals away, or makes them stale, with everything that hangs on them: their renditions where no other
    /// original has the same bytes, ready answers, remembered failures. Nothing older is served once this returns, and
    /// nothing that was under way meanwhile is kept (see `PurgeLog`).
    package func purge(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgeResult {
        var result = PurgeResult()
        let number = purges.open(order.selection)
        // A tag is not known before the reply, so a purge by tag bars requests from joining any in-flight request under way.
        result.fetches = originals.closeToJoiners { order.selection.isTag || order.selection.matches($0) }
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
        (result.renditions, result.answers) = try await cache.purgeRenditions(order, of: purged)
        result.failures = failures.forget { key in
            order.selection.matches(key) || purged.keys.contains(key)
        }
        return result
    }

    /// Runs `keep`, which keeps the answer for later requests, unless an original of it was purged since the request came.
    package func keep(_ answer: Answer<Body>, by keep: () -> Void) {
        let (key, tags) = (answer.original.key, answer.tags)
        guard let section = purges.enter(key, and: answer.watermark, tags: tags, since: answer.epoch) else {
            return
        }
        keep()
        purges.leave(section)
    }

    /// Runs `keep`, which keeps something of this original, unless it was purged since `epoch`.
    /// - Returns: nil: it was purged.
    func unlessPurged<Result: Sendable>(
        _ key: OriginalKey, tags: [String], since epoch: PurgeEpoch, _ keep: () async -> Result
    ) async -> Result? {
        guard let section = purges.enter(key, tags: tags, since: epoch) else { return nil }
        let result = await keep()
        purges.leave(section)
        return result
    }
}

extension PurgeSelection {
    var isTag: Bool { if case .tag = self { true } else { false } }
}
