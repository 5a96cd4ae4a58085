// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Pipeline
internal import Synchronization

/// Carries out the orders in the entries of the stream.
extension FleetNews {
    /// Has everything revalidated that this node holds, before it is served.
    /// - Parameters:
    ///   - announced: the entry that is the reason; nil if there is none.
    ///   - time: when that entry was written, by its node's clock.
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

    /// Carries out a page of entries. Entries that may be any purge come in numbers, as from a node with a wrong clock or of a later
    /// version: everything is revalidated for the first of them at once, and for all others of the page together.
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
                // Numbers that were noted while this node's clock was ahead would make later purges count as repeated.
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
            // Also an order of this node that its outbox does not know: the folder was restored from a copy, and holds what was
            // purged after that was made.
            var order = news.order
            order.announced = entry.id.time
            // The shared store dates a purge by the middle one of three clocks (`PurgeMarks.time`). If this node's clock is ahead, so
            // are the dates of what it has written there, so the order is no earlier than now. The time is not left out: the later one
            // of two clocks would count then, and a Redis whose clock is hours ahead would have what comes in those count as purged.
            if isNew, configuration.readsAll { order.time = max(news.time, environment.now()) }
            try await apply(order)
            if isOwn { await withOutbox { $0.skip(to: news.number) } }
            _ = record.withLock { $0.note(news.node, news.number) }
            counters.withLock { $0.received += 1 }
            noteStep()
        }
        return nil
    }

    /// True if this node's clock is behind Redis's by more than `clockMargin`, and there is a shared store: what others have
    /// written there in between would count as newer than a purge that is dated by this clock.
    /// - Parameter announced: when Redis took an entry, by its clock.
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

    /// Carries out a purge. If that succeeds in memory and not on the disk, the next purges are carried out all the same. Only the
    /// position is not written, so that a restart carries out this one again.
    private func apply(_ order: PurgeOrder) async throws(Trouble) {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        do throws(IndexUnreadable) { try await environment.apply(order) } catch {
            guard error.isCarriedOut else { throw .own(error.description) }
            noteUnwritten(error.description)
        }
    }
}
