// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel
package import Pipeline
internal import Recipes
package import SourceURLs

/// Purges: marks that keep purged entries from being read, and the deletion of the entries.
extension SharedStore {
    /// The number of entries that are deleted at a time.
    private static let slice = 100

    /// Marks a purge, before anything is removed. Returns once no restart can undo the mark. Blocks.
    /// - Throws: if the mark could not be kept.
    package func mark(_ order: PurgeOrder) async throws(IndexUnreadable) {
        let mark = PurgeMarks.Mark(
            subject: .originals(order.selection), time: time(of: order), isSoft: order.isSoft)
        try await keep([mark])
    }

    /// The second half of a purge: marks the renditions made from the bytes, and deletes them and the URLs' entries after the
    /// answer was sent. Another node's order for a URL only deletes the entries of variants that this node held. A soft purge
    /// deletes nothing.
    /// - Throws: if the marks could not be kept.
    package func purge(_ order: PurgeOrder, of purged: PurgedOriginals) async throws(IndexUnreadable) {
        guard !order.isSoft else { return }
        var keys = purged.keys.union(purged.matched)
        if case .url(let key) = order.selection { keys.formUnion([OriginalKey(url: key.url), key]) }
        let orphans = purged.orphans
        dropWrites { change in
            change.key.map { order.selection.matches($0, tags: change.tags) || keys.contains($0) } ?? false
                || change.digest.map(orphans.contains) ?? false
        }
        // The mark of everything covers these entries.
        if order.selection == .all { return }
        if !order.isRelayed {
            // If this node has not held the original, only its entry in the bucket names the bytes.
            purge(keys, takesBytes: purged.count == 0 && orphans.isEmpty)
            if !orphans.isEmpty { push(StoreChange(.purge([], orphans))) }
        } else if case .url = order.selection {
            // The node that received the order only knows the names of the variants that it held itself.
            purge(keys.filter { !$0.variant.isEmpty })
        }
        let time = time(of: order)
        try await keep(orphans.map { PurgeMarks.Mark(subject: .renditions($0), time: time) })
    }

    /// Forgets originals whose answers may belong to other URLs: marks them, and deletes their entries after the answer was sent.
    /// Bytes and renditions stay, because entries that this node does not know may refer to them. Returns once no restart can
    /// undo the marks.
    /// - Throws: if the marks could not be kept.
    package func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        guard configuration.originals else { return }
        dropWrites { $0.key.map(keys.contains) ?? false }
        purge(keys)
        let time = environment.now()
        try await keep(
            Set(keys.map(\.url)).map { url in
                PurgeMarks.Mark(
                    subject: .originals(.url(OriginalKey(url: url))), time: time, isDoubt: true)
            })
    }

    /// True if all marks are on disk; tries again to write those that are not.
    package func settles() async -> Bool {
        if case .success? = await settleRecord() { true } else { false }
    }

    private func time(of order: PurgeOrder) -> Timestamp {
        PurgeMarks.time(of: order, now: environment.now())
    }

    /// Drops waiting writes that a purge concerns.
    private func dropWrites(where isMeant: (StoreChange) -> Bool) {
        state.withLock { state in
            for name in state.queue.drop(where: isMeant) { state.outcomes.note(name, isWritten: false) }
        }
        tellSettled()
    }

    /// Deletes entries after the answer was sent, some at a time, because a failed change is tried again as a whole.
    private func purge(_ keys: Set<OriginalKey>, takesBytes: Bool = false) {
        var rest = keys.map(ObjectName.entry)[...]
        while !rest.isEmpty {
            var change = StoreChange(.purge(Set(rest.prefix(Self.slice)), []))
            change.takesBytes = takesBytes
            push(change)
            rest = rest.dropFirst(Self.slice)
        }
    }

    private func keep(_ marks: [PurgeMarks.Mark]) async throws(IndexUnreadable) {
        guard !marks.isEmpty else { return }
        // The marks count even if the disk does not answer.
        record.note(marks)
        let reason: String
        switch await settleRecord() {
        case .success?: return
        case .failure(let error)?: reason = "\(error)"
        case nil: reason = "the disk hangs"
        }
        throw IndexUnreadable(
            "What the order names is removed from the caches, but the purge cannot be recorded for the shared store, so a restart may bring it back: \(reason).",
            isCarriedOut: true)
    }
}
