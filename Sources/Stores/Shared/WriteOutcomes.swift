// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
package import Pipeline
package import Recipes
internal import SourceURLs

/// Writes that came to nothing, and tasks that wait for writes to end.
struct WriteOutcomes: Sendable {
    /// Names that are remembered. Nobody waits for a write longer than for a fetch.
    private static let limit = 1_024

    private struct Waiter: Sendable {
        let names: [ObjectName]
        let shot: OneShot<Bool>
    }

    /// Names of the failed writes, and of what was deleted, the youngest last.
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

    /// Takes out the waiters whose writes have ended, with the answer for each: true if all was written.
    ///
    /// - Parameter isOpen: true if nothing is written for a while.
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
    /// True if it gets originals.
    package var sharesOriginals: Bool { configuration.originals }
    /// True if it gets renditions.
    package var sharesRenditions: Bool { configuration.renditions }

    /// Waits until the last offer of the original is written, or will not be.
    /// - Returns: true if all nodes can read it; false also if it is not newer than a purge by five seconds, and so a
    ///   miss for nodes that know of that.
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

    /// Lets those go on whose writes have ended.
    func tellSettled() {
        let settled = state.withLock { state in
            state.outcomes.takeSettled(state.queue, isOpen: state.isClosing || !state.breaker.isClosed)
        }
        for (shot, isWritten) in settled { shot.settle(isWritten && !isLeaving.isSet) }
    }
}
