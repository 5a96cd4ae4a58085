// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Pipeline
internal import Synchronization

/// Carries out the orders in the entries of the stream.
extension FleetNews {
    /// - Parameters:
    ///   - announced: the entry because of which it is; nil if there is none.
    ///   - time: when that was written, by its node's clock.
    func confirmAll(
        because reason: GapReason, announced: StreamID? = nil, time: Timestamp? = nil
    ) async throws(Trouble) {
        var order = PurgeOrder(.all, isSoft: true)
        (order.announced, order.time) = (announced?.time, time)
        order.isRelayed = true
        order.isStrict = true
        try await apply(order)
        counters.withLock { $0.gaps += 1 }
        environment.report(.gap(reason))
    }

    /// Carries out a page of entries. Those that may be any purge come in numbers, as from a node with another clock or of a later
    /// version: the first has everything confirmed, and the others all together.
    func carryOut(_ entries: [StreamEntry], _ isNew: Bool) async throws(Trouble) {
        var (hasConfirmed, rest) = (false, UnclearEntries?.none)
        for entry in entries {
            guard let unclear = try await carryOut(entry, isNew) else { continue }
            if !hasConfirmed {
                try await confirmAll(
                    because: unclear.reason, announced: unclear.announced, time: unclear.time)
            } else if rest == nil {
                rest = unclear
            } else {
                rest?.add(unclear)
            }
            hasConfirmed = true
        }
        if let rest { try await confirmAll(because: rest.reason, announced: rest.announced, time: rest.time) }
    }

    /// - Returns: the entry as an unclear one where it may be any purge; nothing is carried out then.
    private func carryOut(_ entry: StreamEntry, _ isNew: Bool) async throws(Trouble) -> UnclearEntries? {
        switch entry.content {
        case .anchor: break
        case .unreadable: return UnclearEntries(reason: .unreadable, announced: entry.id)
        case .purge(let news):
            let highest = PurgeNews.highestNumber(at: environment.now())
            let (own, isKnown) = record.withLock { record in
                // Noted by a clock that has been set back since, they would hide what is purged from now on.
                record.forget(above: highest)
                return (record.node, record.knows(news.node, news.number))
            }
            let isOwn = news.node == own
            // Where that cannot be told, it is carried out once more.
            if isOwn, await withOutbox({ $0.gave(news.number) }) ?? false {
                if isBehind(entry.id.time) { try await carryOutAgain(news, announced: entry.id.time) }
                record.withLock { _ = $0.note(own, news.number) }
                return nil
            }
            guard news.number <= highest else {
                return UnclearEntries(reason: .ahead, announced: entry.id, time: news.time)
            }
            if isKnown {
                if !isOwn { counters.withLock { $0.repeated += 1 } }
                return nil
            }
            // Its own as well: the folder was restored, with what this node has purged since it was copied.
            var order = news.order
            order.announced = entry.id.time
            // By a clock that is ahead, this node dated what it wrote into a shared store until now. Not without a time, which would
            // leave two clocks: Redis's alone, if that is ahead, would have hours of what comes count as purged.
            if isNew, configuration.readsAll { order.time = max(news.time, environment.now()) }
            try await apply(order)
            if isOwn { await withOutbox { $0.skip(to: news.number) } }
            _ = record.withLock { $0.note(news.node, news.number) }
            counters.withLock { $0.received += 1 }
            noteStep()
        }
        return nil
    }

    /// True if Redis took an entry when this node's clock had not come to that time, by far, and that matters: what others wrote
    /// into a shared store in between would be newer than a purge by this clock.
    private func isBehind(_ announced: Timestamp) -> Bool {
        let (limit, isFar) = environment.now().milliseconds.addingReportingOverflow(Self.clockMargin)
        return configuration.readsAll && !isFar && announced.milliseconds > limit
    }

    /// Milliseconds by which clocks may differ. Objects in a shared store that are as much younger than a purge count as purged.
    private static let clockMargin: Int64 = 5_000

    /// Carries out a purge of this node's once more, as one of the time at which Redis took it.
    private func carryOutAgain(_ news: PurgeNews, announced: Timestamp) async throws(Trouble) {
        var order = news.order
        (order.announced, order.time) = (announced, nil)
        try await apply(order)
    }

    /// Carries out a purge. One that is carried out in memory and not on the disk holds up none behind it: only the position is
    /// not written, so that a restart carries it out again.
    private func apply(_ order: PurgeOrder) async throws(Trouble) {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        do throws(IndexUnreadable) { try await environment.apply(order) } catch {
            guard error.isCarriedOut else { throw .own(error.description) }
            noteUnwritten(error.description)
        }
    }
}
