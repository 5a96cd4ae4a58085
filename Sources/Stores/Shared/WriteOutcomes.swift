// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
package import Pipeline
package import Recipes
internal import SourceURLs

/// Remembers writes that failed, and tasks that wait for writes to end.
struct WriteOutcomes: Sendable {
    /// The most names that are remembered. Nobody waits longer for a write than for a fetch.
    private static let limit = 1_024

    private struct Waiter: Sendable {
        let names: [ObjectName]
        let shot: OneShot<Bool>
    }

    /// Names of failed writes and of deleted objects, the latest last.
    private var lost: [ObjectName] = []
    private var waiters: [Waiter] = []

    mutating func note(_ name: ObjectName, isWritten: Bool) {
        lost.removeAll { $0 == name }
        guard !isWritten else { return }
        lost.append(name)
        lost = lost.suffix(Self.limit)
    }

    mutating func wait(for names: [ObjectName], _ shot: OneShot<Bool>) {
        waiters.append(Waiter(names: names, shot: shot))
    }

    /// True if somebody waits for a write of this name to end.
    func awaits(_ name: ObjectName) -> Bool { waiters.contains { $0.names.contains(name) } }

    /// Takes out the waiters whose writes have ended, with the answer for each: true if everything was written.
    ///
    /// - Parameter isOpen: true if the breaker is open, so that nothing is written for a while.
    mutating func takeSettled(_ queue: WriteQueue, isOpen: Bool) -> [(shot: OneShot<Bool>, isWritten: Bool)] {
        var settled: [(shot: OneShot<Bool>, isWritten: Bool)] = []
        waiters.removeAll { waiter in
            let isPending = waiter.names.contains(where: queue.holds)
            guard isOpen || !isPending else { return false }
            settled.append((waiter.shot, !isPending && !waiter.names.contains(where: lost.contains)))
            return true
        }
        return settled
    }
}

extension SharedStore {
    /// True if the store gets originals.
    package var sharesOriginals: Bool { configuration.originals }
    /// True if the store gets renditions.
    package var sharesRenditions: Bool { configuration.renditions }

    /// Waits until the last offer of the original is written, or will not be.
    /// - Returns: true if all nodes can read it. False also if the original is not at least five seconds newer than a purge,
    ///   because it is then a miss for nodes that know of the purge.
    package func isWritten(_ original: Original, tags: [String]) async -> Bool {
        guard configuration.originals else { return false }
        let isEnclosed = original.length <= configuration.enclosed
        let isWritten = await isWritten(
            [.entry(original.key)] + (isEnclosed ? [] : [.original(original.digest)]))
        return isWritten
            && record.verdict(on: original.key, tags: tags, from: original.freshness.responseTime) == .holds
    }

    /// Waits as `isWritten` above does, for a rendition.
    package func isWritten(_ key: RenditionKey, of original: OriginalDigest) async -> Bool {
        guard configuration.renditions else { return false }
        return await isWritten([.rendition(key, of: original)])
            && !record.hasPurged(renditionsOf: original, from: environment.now())
    }

    private func isWritten(_ names: [ObjectName]) async -> Bool {
        let shot = OneShot<Bool>()
        let isHurried = state.withLock { state in
            state.outcomes.wait(for: names, shot)
            return state.queue.hurry { names.contains($0) }
        }
        if isHurried { state.wakeOne() }
        tellSettled()
        return await shot.value()
    }

    /// Resumes the tasks whose writes have ended.
    func tellSettled() {
        let settled = state.withLock { state in
            state.outcomes.takeSettled(state.queue, isOpen: state.isClosing || !state.breaker.isClosed)
        }
        for (shot, isWritten) in settled { shot.settle(isWritten && !isLeaving.isSet) }
    }
}
