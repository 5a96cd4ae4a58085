// SPDX-License-Identifier: Apache-2.0

package import SourceURLs
internal import Synchronization

/// The moment at which a request or an in-flight request began, as purges count time.
package struct PurgeEpoch: Sendable, Hashable, Comparable {
    fileprivate let number: Int

    package static func < (a: PurgeEpoch, b: PurgeEpoch) -> Bool { a.number < b.number }
}

/// The purges that came while work was under way, so that nothing older than a purge is kept after it.
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
/// An open purge bars everything that it matches; a closed one bars everything that began before it closed. The purge waits
/// for the sections that were let in before, and takes their pictures away with the rest. So no interleaving leaves anything
/// behind.
///
/// **Isolation:** a `Mutex`, never held while anything waits.
package final class PurgeLog: Sendable {
    /// Purges that are remembered, and URLs of those that went by tag. Work that began before the oldest of them counts as
    /// purged: that costs a fetch, and 100,000 URLs are 10 MB.
    private static let limit = (purges: 256, keys: 100_000)

    /// The right to keep something, until it is given back.
    package struct Section: Sendable {
        fileprivate let generation: Int
    }

    private struct Purge {
        let number: Int
        let selection: PurgeSelection
        /// Nil: open.
        var closedAt: Int?
        /// The originals with the purge's tag.
        var keys: Set<OriginalKey> = []
    }

    private struct State {
        var clock = 0
        /// Work that began before is taken for purged.
        var forgotten = 0
        var purges: [Purge] = []
        var generation = 0
        /// Open sections by generation; those of a finished one are not listed.
        var sections: [Int: Int] = [:]
        var waiting: [(generation: Int, shot: OneShot<Void>)] = []
    }

    private let state = Mutex(State())

    package var epoch: PurgeEpoch { PurgeEpoch(number: state.withLock(\.clock)) }

    // MARK: Keeping

    /// Begins to keep something; `leave` ends it.
    /// - Returns: nil: the original, or the other one, was purged since `epoch`.
    package func enter(
        _ key: OriginalKey, and other: OriginalKey? = nil, tags: [String], since epoch: PurgeEpoch
    ) -> Section? {
        state.withLock { state in
            guard !Self.isPurged(key, tags, since: epoch, state),
                other.map({ !Self.isPurged($0, tags, since: epoch, state) }) ?? true
            else { return nil }
            state.sections[state.generation, default: 0] += 1
            return Section(generation: state.generation)
        }
    }

    package func leave(_ section: Section) {
        let ready: [OneShot<Void>] = state.withLock { state in
            let left = (state.sections[section.generation] ?? 1) - 1
            state.sections[section.generation] = left > 0 ? left : nil
            return Self.takeReady(&state)
        }
        for shot in ready { shot.settle(()) }
    }

    package func isPurged(_ key: OriginalKey, tags: [String], since epoch: PurgeEpoch) -> Bool {
        state.withLock { Self.isPurged(key, tags, since: epoch, $0) }
    }

    private static func isPurged(
        _ key: OriginalKey, _ tags: [String], since epoch: PurgeEpoch, _ state: State
    ) -> Bool {
        if epoch.number < state.forgotten { return true }
        return state.purges.contains { purge in
            guard purge.closedAt.map({ epoch.number < $0 }) ?? true else { return false }
            return purge.selection.matches(key, tags: tags) || purge.keys.contains(key)
        }
    }

    // MARK: Purging

    /// Purges that wait for sections to end.
    var settling: Int { state.withLock(\.waiting.count) }

    func open(_ selection: PurgeSelection) -> Int {
        state.withLock { state in
            state.clock += 1
            state.purges.append(Purge(number: state.clock, selection: selection))
            return state.clock
        }
    }

    /// From here on, new work is not older than the purge.
    func close(_ number: Int, keys: Set<OriginalKey>) {
        state.withLock { state in
            state.clock += 1
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

    /// Waits until every section that is open now has been left.
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
