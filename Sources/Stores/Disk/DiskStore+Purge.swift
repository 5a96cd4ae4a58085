// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
package import Pipeline
package import Recipes
internal import SourceURLs

/// Waits for the disk, all of it: to be called by way of `perform`.
extension DiskStore {
    /// Removals that go into the queue at a time, so that others' changes find room between them.
    private static let slice = 8_192

    /// Takes names out, or makes them stale, and returns when the index says so too: a crash brings nothing back.
    ///
    /// What is being kept meanwhile is the caller's to keep off; what was kept before is found.
    package func purgeOriginals(_ order: PurgeOrder) throws(IndexUnreadable) -> PurgedOriginals {
        var purged = PurgedOriginals()
        switch order.selection {
        case .url(let key): purge([NameKey(key)], order, &purged)
        case .all:
            for shard in 0..<catalogue.names.shardCount {
                purge(catalogue.names.entries(ofShard: shard).map(\.key), order, &purged)
            }
        case .prefix, .host, .tag:
            // The index has to know what was kept up to now.
            flush()
            let names = try query { (index) throws(SQLiteError) in try index.names(of: order.selection) }
            if case .tag = order.selection { purged.keys = Set(names.map { OriginalKey(url: $0.url) }) }
            purge(names.map(\.key), order, &purged)
        }
        try settle()
        return purged
    }

    /// What has left the memory has to leave the disk too, or the next start would bring it back.
    private func settle() throws(IndexUnreadable) {
        flush()
        guard !isReadOnly, !queue.holdsBack else {
            throw IndexUnreadable(
                "It is out of memory, but the cache's folder cannot be written, so a restart may bring it back."
            )
        }
    }

    private func purge(_ keys: [NameKey], _ order: PurgeOrder, _ purged: inout PurgedOriginals) {
        for slice in stride(from: 0, to: keys.count, by: Self.slice) {
            for key in keys[slice..<min(slice + Self.slice, keys.count)] {
                if order.isSoft { expire(key, &purged) } else { remove(key, &purged) }
            }
            if keys.count > Self.slice { flush() }
        }
    }

    private func remove(_ key: NameKey, _ purged: inout PurgedOriginals) {
        let changes = catalogue.removeName(key)
        queue.push(changes)
        purged.count += changes.count
        for case let file? in changes.map(\.released) where catalogue.originals.table[file.name] == nil {
            purged.orphans.insert(OriginalDigest(file.name))
        }
    }

    private func expire(_ key: NameKey, _ purged: inout PurgedOriginals) {
        let moment = now()
        let expired = catalogue.names.update(key) { entry in
            if let held = entry { entry?.freshness = held.freshness.expired(at: moment) }
            return entry?.freshness
        }
        guard let expired else { return }
        queue.push(.expireOriginal(key, expired))
        purged.count += 1
    }

    /// Takes out what hangs on purged originals; returns how many renditions that were.
    package func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) throws(IndexUnreadable) -> Int {
        if order.isSoft { return 0 }
        return order.selection == .all
            ? purgeAllRenditions() : try purgeRenditions(of: purged.orphans)
    }

    /// Those that were found again after the index was lost do not tell what they were made of, and go with any purge
    /// that takes bytes away.
    private func purgeRenditions(of orphans: Set<OriginalDigest>) throws(IndexUnreadable) -> Int {
        guard !orphans.isEmpty else { return 0 }
        flush()
        let keys = try query { (index) throws(SQLiteError) in
            try index.renditions(of: orphans) + index.foundlings()
        }
        return removeRenditions(keys)
    }

    private func purgeAllRenditions() -> Int {
        (0..<catalogue.renditions.table.shardCount).reduce(0) { sum, shard in
            sum + removeRenditions(catalogue.renditions.table.entries(ofShard: shard).map(\.key))
        }
    }

    private func removeRenditions(_ keys: [Digest]) -> Int {
        var count = 0
        for slice in stride(from: 0, to: keys.count, by: Self.slice) {
            for key in keys[slice..<min(slice + Self.slice, keys.count)] {
                let changes = catalogue.removeRendition(key)
                queue.push(changes)
                count += changes.count
            }
            flush()
        }
        return count
    }

    // MARK: What people ask

    /// In the order of their URLs, from behind `url` on; `selection` is no tag.
    package func list(
        _ selection: PurgeSelection, after url: String, limit: Int
    ) throws(IndexUnreadable) -> [ListedOriginal] {
        flush()
        return try query { (index) throws(SQLiteError) in
            try index.list(selection, after: url, limit: limit)
        }
    }

    /// Renditions on disk that were made of these bytes.
    package func renditionCount(of original: OriginalDigest) throws(IndexUnreadable) -> Int {
        flush()
        return try query { (index) throws(SQLiteError) in try index.renditionCount(of: original) }
    }

    private func query<Result>(
        _ body: (borrowing IndexQueries) throws(SQLiteError) -> Result
    ) throws(IndexUnreadable) -> Result {
        do throws(SQLiteError) {
            return try body(IndexQueries(path: folder.indexPath))
        } catch {
            throw IndexUnreadable("The cache's index cannot be read: \(error).")
        }
    }
}
