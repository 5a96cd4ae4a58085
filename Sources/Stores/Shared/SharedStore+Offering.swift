// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
internal import HTTPSemantics
package import Kernel
package import Pipeline
package import Recipes
package import SourceURLs

/// What is written, or deleted, after an answer was sent: each call queues a change for the writers.
extension SharedStore {
    /// Writes an original after the answer was sent: its bytes, and the entry of its URL.
    package func offer(_ original: Original, fields: StoredFields, body: Body) {
        guard configuration.originals else { return }
        if original.length <= configuration.enclosed {
            return push(entry(of: original, fields, .held(body)))
        }
        var bytes = StoreChange(
            .put(.original(original.digest), .held(body), metadata: [], at: environment.now()))
        bytes.digest = original.digest
        push(entry(of: original, fields, .none), after: bytes)
    }

    /// Writes the entry of a URL that a 304 has confirmed, after the answer was sent. The bytes are in the store already; if they
    /// were lost there, another node's fetch writes them again.
    ///
    /// - Parameter open: opens the bytes, on a writer's thread, for an entry that contains its bytes.
    package func offer(
        confirmed original: Original, fields: StoredFields, open: @escaping @Sendable () -> Body?
    ) {
        guard configuration.originals else { return }
        let isEnclosed = original.length <= configuration.enclosed
        push(entry(of: original, fields, isEnclosed ? .later(open, length: original.length) : .none))
    }

    private func entry(
        of original: Original, _ fields: StoredFields, _ content: StoreChange.Content
    ) -> StoreChange {
        let entry = SharedOriginal(
            key: original.key, digest: original.digest, length: original.length,
            lastModified: original.lastModified, freshness: original.freshness, fields: fields)
        var change = StoreChange(
            .put(.entry(original.key), content, metadata: entry.metadata, at: environment.now()))
        (change.key, change.tags, change.digest) = (original.key, fields.tags, original.digest)
        if environment.isInDoubt(original.key) { change.due = dueOfDoubt }
        return change
    }

    /// When an entry that is in doubt now will be written, in microseconds of the monotonic clock.
    private var dueOfDoubt: Int64 {
        let (earliest, slice) = (environment.ticks() + configuration.proof, max(1, configuration.proofSlice))
        // Cannot trap: the slice is at least 1.
        return (earliest + slice - 1) / slice * slice
    }

    /// Writes a rendition after the answer was sent.
    package func offer(_ rendition: Rendition, of original: OriginalDigest, body: Body) {
        guard configuration.renditions else { return }
        var change = StoreChange(
            .put(
                .rendition(rendition.key, of: original), .held(body), metadata: rendition.metadata,
                at: environment.now()))
        change.digest = original
        push(change)
    }

    /// Deletes the entry of a URL.
    package func forget(_ key: OriginalKey) {
        guard configuration.originals else { return }
        push(StoreChange(.delete(.entry(key))))
    }

    /// Queues a change after the write of its bytes, because an entry without its bytes leads nowhere. One writer makes both, one
    /// after the other, and only one is woken.
    func push(_ change: StoreChange, after bytes: StoreChange? = nil) {
        let (wakes, hasRoom) = state.withLock { state in
            var wakes = false
            for change in [bytes, change] {
                guard var change else { continue }
                if let name = change.name, state.outcomes.awaits(name) { change.due = nil }
                guard !state.isClosing, state.queue.push(change) else {
                    if case .put(let name, _, _, _) = change.kind {
                        state.outcomes.note(name, isWritten: false)
                    }
                    return (wakes, false)
                }
                // A writer that pauses will come to the change in time.
                if change.due == nil || state.pausing == 0 || state.queue.isFilling { wakes = true }
            }
            return (wakes, true)
        }
        if wakes { state.wakeOne() }
        if !hasRoom { counters.add(counters.dropped) }
    }
}
