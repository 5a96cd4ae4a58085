// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
package import Pipeline
package import Recipes
package import SourceURLs
internal import Synchronization

/// Purges and queries. They wait for the index, so they must be called through `performOrder`.
extension DiskStore {
    /// How many removals are queued at a time, so that changes of other threads can come in between.
    private static let slice = 8_192

    /// Removes names, or makes them stale, and returns once the index has committed that, so that no crash brings them back. If
    /// the index cannot be written, the result has a `failure`.
    ///
    /// It finds every original that was kept before the call; the caller must prevent new ones meanwhile. For a URL, names that
    /// are known without the index are removed even if the index cannot be read; `failure` then says that variants may be left.
    /// - Throws: if the index cannot be read.
    package func purgeOriginals(_ order: PurgeOrder) throws(IndexUnreadable) -> PurgedOriginals {
        var purged = PurgedOriginals()
        switch order.selection {
        case .url(let key):
            purgeURL(key, order, &purged)
        case .all:
            for shard in 0..<catalogue.names.shardCount {
                purge(catalogue.names.entries(ofShard: shard).map(\.key), order, &purged)
            }
        case .prefix, .host, .tag:
            let found = try originals(of: order.selection, beside: waiting(order.selection))
            if case .tag = order.selection { purged.keys = found.keys } else { purged.matched = found.keys }
            purge(found.names, order, &purged)
        }
        if !settles(), purged.failure == nil {
            purged.failure = Self.unsettled(leavingRenditions: !order.isSoft && !isReadOnly)
        }
        return purged
    }

    /// - Parameter leavingRenditions: true if there may be renditions of which the index does not know yet.
    private static func unsettled(leavingRenditions: Bool = false) -> IndexUnreadable {
        IndexUnreadable(
            "What the order names is removed from memory, but the cache's folder cannot be written, so a restart may bring it back."
                + (leavingRenditions
                    ? " Pictures that were made since the folder could not be written may be left on the disk: give the order again once it can be."
                    : ""),
            isCarriedOut: true)
    }

    /// Removes only these names. A file is removed with its last name; its renditions stay, because other URLs may have the same
    /// bytes. Returns once the index has committed that.
    /// - Throws: if the index cannot commit it.
    package func forgetOriginals(_ keys: Set<OriginalKey>) throws(IndexUnreadable) {
        for key in keys { remove(NameKey(key)) }
        // A folder that cannot be written keeps the rows of earlier originals. Those in doubt have marks there (`UnprovenRows`),
        // so a restart forgets them.
        guard isReadOnly || settles() else { throw Self.unsettled() }
    }

    private func purgeURL(_ key: OriginalKey, _ order: PurgeOrder, _ purged: inout PurgedOriginals) {
        // These names are known without the index, which may not be readable.
        var known = [NameKey(OriginalKey(url: key.url))]
        if !key.variant.isEmpty {
            known.append(NameKey(key))
            if catalogue.names[NameKey(key)] != nil { purged.keys.insert(key) }
        }
        purge(known, order, &purged)
        do throws(IndexUnreadable) {
            let found = try variants(of: key)
            purged.keys.formUnion(found.keys)
            purge(found.names.filter { !known.contains($0) }, order, &purged)
        } catch {
            purged.failure = error
        }
    }

    /// The originals of this URL that were fetched with clients' fields. Reads the index only if any variant is held.
    /// - Throws: if the index cannot be read.
    func variants(
        of key: OriginalKey
    ) throws(IndexUnreadable) -> (names: [NameKey], keys: Set<OriginalKey>) {
        guard catalogue.hasVariants else { return ([], []) }
        let variants = waiting(.url(key)).filter { !$0.variant.isEmpty }
        return try originals(of: .prefix(key.variantPrefix), beside: variants)
    }

    /// The originals of a selection (other than `all`) whose rows wait for the index, which may be unable to take them at
    /// present.
    func waiting(_ selection: PurgeSelection) -> [OriginalKey] {
        pending.keys { selection.matches($0, tags: TagStatements.tags(in: $1)) }
    }

    /// The originals of a selection (other than `all`).
    /// - Parameter waiting: the originals whose rows were waiting before this call; the index may take them meanwhile.
    /// - Throws: if the index cannot be read.
    func originals(
        of selection: PurgeSelection, beside waiting: [OriginalKey]
    ) throws(IndexUnreadable) -> (names: [NameKey], keys: Set<OriginalKey>) {
        // The index must contain all originals that were kept so far.
        commit()
        let rows = try query { (index) throws(SQLiteError) in try index.names(of: selection) }
        let known = Set(rows.map { OriginalKey(text: $0.text) })
        let others = Set(waiting).subtracting(known)
        return (rows.map(\.key) + others.map { NameKey($0) }, known.union(others))
    }

    /// Waits until the removals are on the disk, or have failed once more.
    /// - Returns: false if a restart or a power cut would bring some of them back.
    package func settles() -> Bool {
        commit()
        // The store may be closed already, for another one.
        guard let writer, !queue.holdsBack, !queue.isOver else { return false }
        return settledCommits.withLock { settled in
            // Most purges of a fleet find nothing here, and fdatasync(2) takes milliseconds. So it is skipped if nothing was
            // committed since the last call.
            let commits = writer.writer.commits.load(ordering: .relaxed)
            if commits == settled { return true }
            settling.withLock { $0.begin() }
            defer { settling.withLock { $0.end() } }
            guard (try? folder.syncIndex()) != nil else { return false }
            settled = commits
            return true
        }
    }

    private func purge(_ keys: [NameKey], _ order: PurgeOrder, _ purged: inout PurgedOriginals) {
        for slice in stride(from: 0, to: keys.count, by: Self.slice) {
            for key in keys[slice..<min(slice + Self.slice, keys.count)] {
                if order.isSoft { expire(key, order, &purged) } else { remove(key, &purged) }
            }
            if keys.count > Self.slice { commit() }
        }
    }

    private func remove(_ key: NameKey, _ purged: inout PurgedOriginals) {
        let changes = remove(key)
        purged.count += changes.count
        for case let file? in changes.map(\.released) where catalogue.originals.table[file.name] == nil {
            purged.orphans.insert(OriginalDigest(file.name))
        }
    }

    private func expire(_ key: NameKey, _ order: PurgeOrder, _ purged: inout PurgedOriginals) {
        let moment = min(order.time ?? now(), now())
        let isHeld = catalogue.expire(key) { held in
            order.isStrict ? held.unconfirmed(at: moment) : held.expired(at: moment)
        } note: {
            queue.push(.expireOriginal(key, $0))
        }
        if isHeld { purged.count += 1 }
    }

    /// Removes the renditions of purged originals, and returns their number. These are renditions made from the originals' bytes,
    /// renditions that bear them as a watermark, and renditions made for their URLs when the URLs had other bytes, or whose
    /// original was evicted since. Renditions of bytes that another original still has stay.
    ///
    /// Renditions that were recovered after a loss of the index have neither an original nor a URL, so every purge removes them,
    /// and later sweeps recover no more. Renditions whose rows wait for an index that cannot be written are skipped; until then
    /// they are served only if their origin gives the same bytes after the purge.
    /// - Throws: if the index cannot be read.
    package func purgeRenditions(
        _ order: PurgeOrder, of purged: PurgedOriginals
    ) throws(IndexUnreadable) -> Int {
        if order.isSoft { return 0 }
        adoptNoMore()
        if order.selection == .all { return purgeAllRenditions() }
        return removeRenditions(try renditions(order, of: purged))
    }

    /// Keys of the renditions that a purge removes; some occur twice.
    /// - Throws: if the index cannot be read.
    func renditions(_ order: PurgeOrder, of purged: PurgedOriginals) throws(IndexUnreadable) -> [Digest] {
        // This also commits the end of adoption (`adoptNoMore`), which is needed even if no rendition is held.
        commit()
        // A new node carries out all purges that its fleet remembers, but holds nothing yet.
        guard catalogue.renditions.table.count > 0 else { return [] }
        let (known, made): ([Digest], [IndexQueries.Made]) = try query { (index) throws(SQLiteError) in
            let keys = try index.renditions(of: purged.orphans) + index.renditionsWithoutOriginal()
            return (keys, try index.renditions(madeFor: order.selection, purged.keys))
        }
        let others = stillHeld(Set(made.map(\.original)).subtracting(purged.orphans.map(\.shortName)))
        return known + made.filter { !others.contains($0.original) }.map(\.key)
    }

    /// Those digests, given by their first 8 bytes, for which an original is held. Scans the table in memory.
    private func stillHeld(_ digests: Set<Int64>) -> Set<Int64> {
        guard !digests.isEmpty else { return [] }
        return digests.intersection(
            catalogue.originals.table.entries.lazy.map { OriginalDigest($0.key).shortName })
    }

    private func purgeAllRenditions() -> Int {
        commit()
        return (0..<catalogue.renditions.table.shardCount).reduce(0) { sum, shard in
            sum + removeRenditions(catalogue.renditions.table.entries(ofShard: shard).map(\.key))
        }
    }

    private func removeRenditions(_ keys: [Digest]) -> Int {
        var count = 0
        for slice in stride(from: 0, to: keys.count, by: Self.slice) {
            for key in keys[slice..<min(slice + Self.slice, keys.count)] {
                count += removeRendition(key).count
            }
            commit()
        }
        return count
    }

    // MARK: Queries of operators

    /// A page of originals in the order of their URLs, beginning after `url`; `selection` must not be a tag.
    /// - Throws: if the index cannot be read.
    package func list(
        _ selection: PurgeSelection, after url: String, limit: Int
    ) throws(IndexUnreadable) -> [ListedOriginal] {
        commit()
        return try query { (index) throws(SQLiteError) in
            try index.list(selection, after: url, limit: limit)
        }
    }

    /// The number of renditions on disk that were made from these bytes.
    package func renditionCount(of original: OriginalDigest) throws(IndexUnreadable) -> Int {
        commit()
        return try query { (index) throws(SQLiteError) in try index.renditionCount(of: original) }
    }

    func query<Result>(
        _ body: (borrowing IndexQueries) throws(SQLiteError) -> Result
    ) throws(IndexUnreadable) -> Result {
        do throws(SQLiteError) {
            return try body(IndexQueries(path: folder.indexPath, readAccess))
        } catch {
            throw IndexUnreadable("The cache's index cannot be read: \(error).")
        }
    }
}
