// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Pipeline
internal import Synchronization

/// Carries out the orders that the entries of the stream contain.
extension FleetNews {
    /// Marks everything that this node holds: none of it is served before its origin has confirmed it.
    /// - Parameters:
    ///   - announced: the stream's entry that is the reason; nil if no entry is.
    ///   - time: when that entry was written, by the clock of the node that wrote it.
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

    /// Carries out a page of entries. Unclear entries, each of which may be any purge, come in numbers, for example from a node with
    /// a wrong clock or of a later version. So everything is revalidated at once for the first of them, and once more for all others
    /// of the page together.
    func carryOut(_ entries: [StreamEntry], _ age: EntryAge) async throws(Trouble) {
        var (hasConfirmed, rest) = (false, UnclearEntries?.none)
        for entry in entries {
            guard let unclear = try await carryOut(entry, age) else { continue }
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

    /// - Returns: the entry as an unclear one if it may be any purge, in which case nothing is carried out; nil otherwise.
    private func carryOut(_ entry: StreamEntry, _ age: EntryAge) async throws(Trouble) -> UnclearEntries? {
        switch entry.content {
        case .anchor: return nil
        case .unreadable: return UnclearEntries(reason: .unreadable, announced: entry.id)
        case .purge(let news): return try await carryOut(news, announced: entry.id, age)
        }
    }

    private func carryOut(
        _ news: PurgeNews, announced: StreamID, _ age: EntryAge
    ) async throws(Trouble) -> UnclearEntries? {
        let highest = PurgeNews.highestNumber(at: environment.now())
        let (own, isKnown) = record.withLock { ($0.node, $0.knows(news.node, news.number)) }
        let isOwn = news.node == own
        let former = reading.withLock { $0.former }
        let mayBeOwn = isOwn || former.map { news.node == $0.name && news.number <= $0.last } ?? false
        // If the outbox cannot tell, the purge is carried out once more.
        if mayBeOwn, await withOutbox({ $0.gave(news.number) }) ?? false {
            if isBehind(announced.time) { try await carryOutAgain(news, announced: announced.time) }
            record.withLock { _ = $0.note(news.node, news.number) }
            return nil
        }
        guard news.number <= highest else {
            return UnclearEntries(reason: .ahead, announced: announced, time: news.time)
        }
        if isKnown {
            if !isOwn { counters.withLock { $0.repeated += 1 } }
            return nil
        }
        // This may also be an order of this node's name that its outbox does not know: another node has the name as well; or the
        // folder was restored from a copy, so it again holds what was purged after the copy was made.
        try await apply(dated(news, announced: announced.time, age))
        if isOwn { await passOver(news.number) }
        _ = record.withLock { $0.note(news.node, news.number) }
        counters.withLock { $0.received += 1 }
        noteStep()
        return nil
    }

    /// The order of an entry with the times by which the shared store dates it: by the middle one of three (`PurgeMarks.time`). If
    /// this node's clock is ahead, so are the dates of the objects that it has written there; so the order is dated now at the
    /// earliest. The time must not be left out: the store would then take the later of the two other clocks, and a Redis whose clock is
    /// hours ahead would make the objects of those hours count as purged.
    private func dated(_ news: PurgeNews, announced: Timestamp, _ age: EntryAge) -> PurgeOrder {
        var order = news.order
        order.announced = announced
        if age == .recent, configuration.readsAll { order.time = max(news.time, environment.now()) }
        return order
    }

    /// True if there is a shared store and this node's clock is behind Redis's by more than `clockMargin`. Objects that other
    /// nodes wrote there within that difference would count as newer than a purge dated by this node's clock.
    /// - Parameter announced: when Redis took the entry, by Redis's clock.
    private func isBehind(_ announced: Timestamp) -> Bool {
        let (limit, isFar) = environment.now().milliseconds.addingReportingOverflow(Self.clockMargin)
        return configuration.readsAll && !isFar && announced.milliseconds > limit
    }

    /// Milliseconds by which clocks may differ. Objects in a shared store that are up to so much younger than a purge count as
    /// purged.
    private static let clockMargin: Int64 = 5_000

    /// Carries out a purge of this node once more, dated by the time at which Redis took it.
    private func carryOutAgain(_ news: PurgeNews, announced: Timestamp) async throws(Trouble) {
        var order = news.order
        (order.announced, order.time) = (announced, nil)
        try await apply(order)
    }

    /// Carries out a purge. If it succeeds in memory but not on the disk, later purges are still carried out, but the position is
    /// not written, so that a restart carries out this purge again.
    private func apply(_ order: PurgeOrder) async throws(Trouble) {
        reading.withLock { $0.isBusy = true }
        defer { reading.withLock { $0.isBusy = false } }
        do throws(IndexUnreadable) { try await environment.apply(order) } catch {
            guard error.isCarriedOut else { throw .own(error.description) }
            noteUnwritten(error.description)
        }
    }
}
