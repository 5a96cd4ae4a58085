// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Pipeline
internal import SourceURLs
internal import Stores

/// Purges: each part is carried out even if another fails, and the gravest failure is the answer.
extension CacheAdapter {
    func forget(doubtful keys: Set<OriginalKey>) async throws(IndexUnreadable) {
        let unmarked = await failure { () async throws(IndexUnreadable) in
            try await shared?.forget(doubtful: keys)
        }
        let left = await failure { () async throws(IndexUnreadable) in
            let found: Void? = try await whereOnDisk { [disk] store throws(IndexUnreadable) in
                try disk.forgetOriginals(keys, in: store)
            }
            if found == nil { throw Self.absent(isNoted: disk.notePurgeMissed()) }
        }
        if let failure = unmarked ?? left { throw failure }
    }

    func purgeOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        do throws(IndexUnreadable) {
            let unmarked = await failure { () async throws(IndexUnreadable) in try await shared?.mark(order) }
            let found = try await whereOnDisk { [disk] store throws(IndexUnreadable) in
                try disk.purgeOriginals(order, in: store)
            }
            let absent = found == nil ? Self.absent(isNoted: disk.notePurgeMissed()) : nil
            let left = await failure { () async throws(IndexUnreadable) in
                try await shared?.purge(order, of: found ?? PurgedOriginals())
            }
            var purged = found ?? PurgedOriginals()
            // Everything that can be purged is purged. A failure to carry out a part is reported before a failure that only a
            // restart may undo.
            let failures = [absent ?? purged.failure, unmarked, left].compactMap { $0 }
            purged.failure = failures.first { !$0.isCarriedOut } ?? failures.first
            return purged
        } catch {
            // The originals that the order names are still removed from memory.
            _ = memory.remove { order.selection.matches($0, tags: $1) }
            throw error
        }
    }

    func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        // A soft purge removes ready answers as a hard one does, because they contain the freshness from before the purge.
        let answers = memory.remove { purged.include($0, tags: $1, of: order) }
        let renditions = try await whereOnDisk { disk throws(IndexUnreadable) in
            try disk.purgeRenditions(order, of: purged)
        }
        // The disk carried out the first half and hangs since then.
        guard renditions != nil || order.isSoft || purged.failure != nil else { throw Self.halfDone }
        return (renditions ?? 0, answers)
    }

    func countOriginals(_ order: PurgeOrder) async throws(IndexUnreadable) -> PurgedOriginals {
        try await onDisk { disk throws(IndexUnreadable) in try disk.countOriginals(order) }
    }

    func countRenditions(
        _ order: PurgeOrder, of found: PurgedOriginals
    ) async throws(IndexUnreadable) -> (renditions: Int, answers: Int) {
        let answers = memory.count { found.include($0, tags: $1, of: order) }
        let renditions = try await onDisk { disk throws(IndexUnreadable) in
            try disk.countRenditions(order, of: found)
        }
        return (renditions, answers)
    }

    private func failure(
        of work: () async throws(IndexUnreadable) -> Void
    ) async -> IndexUnreadable? {
        do throws(IndexUnreadable) {
            try await work()
            return nil
        } catch {
            return error
        }
    }

    /// Runs `work` on the disk. A missing disk is an error, because nobody knows what it holds.
    private func onDisk<Value: Sendable>(
        _ work: @escaping @Sendable (DiskStore) throws(IndexUnreadable) -> Value
    ) async throws(IndexUnreadable) -> Value {
        guard let value = try await whereOnDisk(work) else {
            throw IndexUnreadable("There is no cache on disk at present.")
        }
        return value
    }

    /// Runs `work` on the disk; returns nil if there is no cache on disk.
    private func whereOnDisk<Value: Sendable>(
        _ work: @escaping @Sendable (DiskStore) throws(IndexUnreadable) -> Value
    ) async throws(IndexUnreadable) -> Value? {
        let result = await disk.performPurge { disk in
            Result { () throws(IndexUnreadable) in try work(disk) }
        }
        return try result?.get()
    }

    /// The answer to a purge while there is no cache on disk. Nothing is served from the disk meanwhile, and when it comes back,
    /// everything on it must be confirmed first.
    /// - Parameter isNoted: true if that is remembered over a restart of the daemon.
    private static func absent(isNoted: Bool) -> IndexUnreadable {
        let end = isNoted ? "the machine" : "the daemon"
        return IndexUnreadable(
            "What the order names is removed from memory. There is no cache on disk at present; when it is back, all that it holds is confirmed by its origins first, unless \(end) is restarted before.",
            isCarriedOut: true)
    }

    /// The failure of a hard purge whose renditions stay on the disk although the originals are gone. Such a rendition is served
    /// again only if an original with the same bytes is fetched.
    private static var halfDone: IndexUnreadable {
        IndexUnreadable(
            "What the order names is removed, but the disk has ceased to answer, and may still hold pictures that were made of it.",
            isCarriedOut: true)
    }
}
