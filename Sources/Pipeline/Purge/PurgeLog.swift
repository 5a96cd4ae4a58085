// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// The start of a request or an in-flight request, on the purges' logical clock.
package struct PurgeEpoch: Sendable, Hashable, Comparable {
    fileprivate let number: Int
    /// The clock's time of the renewal that this work caused; 0 for none.
    fileprivate var renewal = 0

    package static func < (a: PurgeEpoch, b: PurgeEpoch) -> Bool { a.number < b.number }
}

/// The purges that begin while work is under way, so that work older than a purge keeps nothing after it.
///
///     an in-flight request                             a purge
///     epoch = log.epoch
///     fetches …                            number = log.open(selection)
///     section = log.enter(…, epoch)        await log.settle()        waits for the sections that are open
///       nil: purged meanwhile, not kept    takes everything off the caches
///       else keeps                         log.close(number, keys)
///     log.leave(section)                   await log.settle()        for those that began in between
///                                          takes what hangs on the originals
///
/// An open purge blocks everything that it matches; a closed one blocks everything that began before it closed. The purge waits for
/// the sections entered before it, and removes what they kept with the rest. So no interleaving leaves anything behind.
///
/// A renewal is weaker: the origin was asked although its original was fresh, so ready answers made of the former knowledge must not
/// be kept. Originals and renditions may be kept, because their keys name their bytes.
///
/// **Isolation:** a `Mutex`, never held while a task waits.
package final class PurgeLog: Sendable {
    /// How much is remembered at most: URLs that were purged by name, other purges, and originals found by a tag. Work that began
    /// before the oldest remembered purge counts as purged, which costs a fetch. 100,000 originals take 10 MB.
    static let limit = (urls: 10_000, purges: 256, keys: 100_000, renewals: 256)

    /// The right to keep something, until `leave`.
    package struct Section: Sendable {
        fileprivate let generation: Int
    }

    private struct Purge {
        let number: Int
        let selection: PurgeSelection
        /// Nil while the purge is open.
        var closedAt: Int?
        /// Keys of the originals that have the purge's tag.
        var keys: Set<OriginalKey> = []
    }

    private struct State {
        var clock = 0
        /// Work that began before this number counts as purged.
        var forgotten = 0
        var urls = URLPurges(limit: PurgeLog.limit.urls)
        /// Purges of anything but single URLs, in the order of their numbers.
        var purges: [Purge] = []
        /// When each original was last renewed, on the clock.
        var renewals: [OriginalKey: Int] = [:]
        /// Work that began before this number counts as renewed.
        var renewalsForgotten = 0
        var generation = 0
        /// Open sections by generation.
        var sections = Tally<Int>()
        var waiting: [(generation: Int, shot: OneShot<Void>)] = []
    }

    private let state = Mutex(State())

    /// The present moment.
    package var epoch: PurgeEpoch { PurgeEpoch(number: state.withLock(\.clock)) }

    /// Advances the clock, so that the present moment is later than all work that has begun.
    /// - Returns: the epoch of the work that begins now.
    func advance() -> PurgeEpoch {
        state.withLock { state in
            state.clock += 1
            return PurgeEpoch(number: state.clock)
        }
    }

    // MARK: Keeping

    /// Begins to keep something; `leave` ends it.
    /// - Parameter other: another original that went into it, as a watermark does; nil for none.
    /// - Returns: nil if an original was purged since `epoch`.
    package func enter(
        _ key: OriginalKey, and other: OriginalKey? = nil, tags: [String], since epoch: PurgeEpoch
    ) -> Section? {
        state.withLock { state in
            for key in [key, other].compactMap(\.self)
            where Self.isPurged(key, tags, since: epoch, state) { return nil }
            return Self.begin(&state)
        }
    }

    /// Begins to keep a ready answer; `leave` ends it.
    /// - Returns: nil if one of its originals was purged or renewed since `epoch`.
    package func enter(
        answerOf key: OriginalKey, and other: OriginalKey?, tags: [String], since epoch: PurgeEpoch
    ) -> Section? {
        state.withLock { state in
            for key in [key, other].compactMap(\.self)
            where Self.isPurged(key, tags, since: epoch, state) || Self.isRenewed(key, since: epoch, state) {
                return nil
            }
            return Self.begin(&state)
        }
    }

    private static func begin(_ state: inout State) -> Section {
        state.sections.add(state.generation)
        return Section(generation: state.generation)
    }

    /// Ends a section, which may let a purge go on.
    package func leave(_ section: Section) {
        let ready: [OneShot<Void>] = state.withLock { state in
            state.sections.remove(section.generation)
            return Self.takeReady(&state)
        }
        for shot in ready { shot.settle(()) }
    }

    /// True if the original was purged since `epoch`.
    package func isPurged(_ key: OriginalKey, tags: [String], since epoch: PurgeEpoch) -> Bool {
        state.withLock { Self.isPurged(key, tags, since: epoch, $0) }
    }

    private static func isPurged(
        _ key: OriginalKey, _ tags: [String], since epoch: PurgeEpoch, _ state: State
    ) -> Bool {
        if epoch.number < state.forgotten || state.urls.isPurged(key.url, since: epoch.number) { return true }
        return state.purges.contains { purge in
            guard purge.closedAt.map({ epoch.number < $0 }) ?? true else { return false }
            return purge.selection.matches(key, tags: tags) || purge.keys.contains(key)
        }
    }

    private static func isRenewed(_ key: OriginalKey, since epoch: PurgeEpoch, _ state: State) -> Bool {
        if epoch.number < state.renewalsForgotten, epoch.renewal < state.renewalsForgotten { return true }
        guard let number = state.renewals[key] else { return false }
        return epoch.number < number && epoch.renewal < number
    }

    // MARK: Renewing

    /// Declares the ready answers of earlier work unfit to keep. Answers that are being kept now end before `settle` returns.
    /// - Returns: the epoch of the work that asked the origin, whose answers may be kept.
    func renew(_ key: OriginalKey, by epoch: PurgeEpoch) -> PurgeEpoch {
        state.withLock { state in
            state.clock += 1
            state.renewals[key] = state.clock
            if state.renewals.count > Self.limit.renewals,
                let oldest = state.renewals.min(by: { $0.value < $1.value })
            {
                state.renewals[oldest.key] = nil
                state.renewalsForgotten = oldest.value
            }
            var own = epoch
            own.renewal = state.clock
            return own
        }
    }

    // MARK: Purging

    /// Purges that wait for sections to end.
    var settling: Int { state.withLock(\.waiting.count) }

    func open(_ selection: PurgeSelection) -> Int {
        if case .url(let key) = selection { return open([key.url]) }
        return state.withLock { state in
            state.clock += 1
            state.purges.append(Purge(number: state.clock, selection: selection))
            return state.clock
        }
    }

    /// Opens one purge of all these URLs, with all their variants.
    func open(_ urls: Set<String>) -> Int {
        state.withLock { state in
            state.clock += 1
            state.urls.open(state.clock, of: urls)
            return state.clock
        }
    }

    /// Closes a purge: work that begins from now on is newer.
    /// - Parameter keys: the originals with the purge's tag; not used for a purge of URLs.
    func close(_ number: Int, keys: Set<OriginalKey>) {
        state.withLock { state in
            state.clock += 1
            if state.urls.close(number, at: state.clock) {
                state.forgotten = max(state.forgotten, state.urls.forgetOldest() ?? 0)
                return
            }
            guard let index = state.purges.firstIndex(where: { $0.number == number }) else { return }
            state.purges[index].closedAt = state.clock
            state.purges[index].keys = keys
            Self.forgetOldest(&state)
        }
    }

    private static func forgetOldest(_ state: inout State) {
        var keys = state.purges.reduce(0) { $0 + $1.keys.count }
        while state.purges.count > limit.purges || keys > limit.keys {
            guard let index = state.purges.firstIndex(where: { $0.closedAt != nil }) else { return }
            let oldest = state.purges.remove(at: index)
            keys -= oldest.keys.count
            state.forgotten = max(state.forgotten, oldest.closedAt ?? 0)
        }
    }

    /// Waits until every section that is open now has ended.
    func settle() async {
        let shot = OneShot<Void>()
        let ready: [OneShot<Void>] = state.withLock { state in
            state.waiting.append((state.generation, shot))
            state.generation += 1
            return Self.takeReady(&state)
        }
        for shot in ready { shot.settle(()) }
        await shot.value()
    }

    private static func takeReady(_ state: inout State) -> [OneShot<Void>] {
        let oldest = state.sections.keys.min() ?? .max
        let ready = state.waiting.filter { $0.generation < oldest }.map(\.shot)
        state.waiting.removeAll { $0.generation < oldest }
        return ready
    }
}
