// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import HTTPCaching
package import HTTPSemantics
internal import ImageHeaders
package import Kernel
package import Pipeline
package import Recipes
package import SourceURLs

extension DiskStore {
    /// The latest response time of the originals that were held when the store was opened; 1970 without any. It comes from the
    /// wall clock of an earlier run; the clock may have been set back since.
    package var newestAtOpening: Timestamp { catalogue.newestLoaded }

    /// The original of a key, from memory; nil if it is not held. Makes the original the most recently used.
    package func original(_ key: OriginalKey) -> Original? {
        let name = NameKey(key)
        let moment = seconds
        let (entry, isLate) = catalogue.names.touch(name, at: moment, precision: Self.accessPrecision)
        guard let entry else { return nil }
        if isLate, !queue.isFull { queue.push(.touchOriginal(name, accessed: moment)) }
        guard let file = catalogue.originals.table[entry.digest] else {
            // The file was found damaged at this moment.
            remove(name, leadingTo: entry.digest)
            return nil
        }
        return Original(
            key: key, digest: OriginalDigest(entry.digest), length: file.length, header: file.picture.header,
            lastModified: entry.lastModified, freshness: entry.freshness)
    }

    /// The tags of an original, from memory; nil if only `cachingFields(of:)` may tell them, or if the original is no longer held.
    package func tagsAtHand(of original: Original) -> [String]? {
        let (name, digest) = (NameKey(original.key), original.digest.digest)
        guard let held = catalogue.names[name], held.digest == digest else { return nil }
        return held.isTagged ? catalogue.tags.tags(of: name, digest) : []
    }

    /// Opens an original's file and checks it; nil if the original is not held, or if its file was damaged, missing or unreadable
    /// and has been dropped.
    ///
    /// The first time since the process started, the whole body is read (about 1 ms for 2 MB); later, only pages that the kernel
    /// has dropped. They are read here because a decoder or an event loop uses the file next and must not hang in a read. Blocks.
    /// - Parameter key: the key by which the file was found. It saves a search for names if the file must be dropped.
    package func openOriginal(_ digest: OriginalDigest, of key: OriginalKey? = nil) -> Body? {
        guard let entry = catalogue.originals.table[digest.digest] else { return nil }
        switch catalogue.originals.openChecked(entry) {
        case .open(let file):
            // If the stamps differ, the whole file was read just now.
            if file.state?.stamp == entry.verified { FileIO.load(file.raw, length: entry.length) }
            return .file(file, length: entry.length)
        case .failed: return nil
        // A file that cannot be read must be dropped: otherwise it would be found for each request, and the origin would not be
        // asked for the bytes.
        case .unreadable(let error): noteUnreadable(.original, digest.digest, error)
        case .absent: counters.add(counters.vanished)
        case .damaged: noteDamage(.original, digest.digest)
        }
        remove(digest, namedBy: key)
        return nil
    }

    /// Keeps an original: its file and its metadata. `fields` is only stored, for `cachingFields(of:)`.
    ///
    /// `original.length` and `original.digest` must be the body's. Returns the body to use from now on, whether it was kept or
    /// not. Blocks.
    package func keepOriginal(_ original: Original, cachingFields fields: String, body: Body) -> Body {
        let name = NameKey(original.key)
        let digest = original.digest.digest
        let moment = seconds
        let file = FileEntry(
            key: digest, length: original.length, picture: CompactHeader(original.header), accessed: moment,
            recorded: moment)
        let footer = Footer(
            kind: .original, format: original.header.format, length: original.length, checksum: digest)
        let isKept = keep(file, body, footer, on: catalogue.originals) {
            let entry = NameEntry(
                key: name, digest: digest, freshness: original.freshness,
                lastModified: original.lastModified, isVariant: !original.key.variant.isEmpty,
                isTagged: StoredFields.mayHaveTags(serialized: fields), accessed: moment, recorded: moment,
                excess: Self.excess(original.key, fields))
            catalogue.put(entry) { released in
                catalogue.tags.hold(fields, for: name, of: digest)
                pending.put(fields, for: name, of: original.key)
                queue.push([
                    Change(.putOriginal(original, fields: fields, accessed: moment), releasing: released)
                ])
            }
        }
        guard isKept else {
            // The former original of this key must not be served in place of these bytes.
            forgetFormer(of: original)
            return body
        }
        return settled(body, as: digest, on: catalogue.originals)
    }

    /// Extends the freshness of an original whose bytes are unchanged, and updates the origin's date of them. Does nothing if
    /// these bytes are not held any more, because another fetch of the URL may have brought others.
    package func refreshOriginal(
        _ key: OriginalKey, of digest: OriginalDigest, freshness: Freshness, lastModified: Timestamp?,
        cachingFields fields: String
    ) {
        let name = NameKey(key)
        catalogue.refresh(
            name, of: digest.digest, freshness, lastModified: lastModified,
            isTagged: StoredFields.mayHaveTags(serialized: fields), excess: Self.excess(key, fields)
        ) {
            catalogue.tags.hold(fields, for: name, of: digest.digest)
            // If no row can be written, a restart revalidates once more.
            guard !queue.isFull else { return }
            pending.put(fields, for: name, of: key)
            queue.push(.refreshOriginal(key, freshness, lastModified: lastModified, fields: fields))
        }
    }

    private static func excess(_ key: OriginalKey, _ fields: String) -> UInt32 {
        NameEntry.excess(url: key.text.utf8.count, fields: fields.utf8.count)
    }

    /// The fields from the last `keepOriginal` or `refreshOriginal` of these bytes; "" if the original is not held, or has other
    /// bytes by now, whose validators would make the origin confirm wrong content.
    ///
    /// Reads the index (about 10 µs), so it is for revalidations and not for hits.
    package func cachingFields(of original: Original) -> String {
        let (name, fields) = (NameKey(original.key), cachingFields(of: original.key))
        // Checked after the read, because the name may have got new bytes meanwhile.
        let isOfOriginal = catalogue.names.update(name) { entry in
            guard let held = entry, held.digest == original.digest.digest else { return false }
            // Tags that are held already may be newer than those that were read.
            if held.isTagged, !fields.isEmpty, catalogue.tags.tags(of: name, held.digest) == nil {
                catalogue.tags.hold(fields, for: name, of: held.digest)
            }
            return true
        }
        return isOfOriginal ? fields : ""
    }

    func cachingFields(of key: OriginalKey) -> String {
        let name = NameKey(key)
        guard let held = catalogue.names[name] else { return "" }
        return pending[name] ?? readFields(name, of: held.digest)
    }

    /// Drops an original; its file is removed once no other name refers to it.
    package func forgetOriginal(_ key: OriginalKey) { remove(NameKey(key)) }

    /// Removes a name; with `digest`, only if the name still refers to that file. Only touches memory.
    /// - Returns: the change, which is queued.
    @discardableResult
    func remove(_ name: NameKey, leadingTo digest: Digest? = nil) -> [Change] {
        catalogue.removeName(name, leadingTo: digest) { queue.push([$0]) }
    }

    /// Removes an original's bytes and all names that refer to them. Only touches memory.
    /// - Parameter key: one of the names, if it is known.
    func remove(_ original: OriginalDigest, namedBy key: OriginalKey? = nil) {
        _ = catalogue.removeOriginal(original.digest, namedBy: key.map { NameKey($0) }) { queue.push([$0]) }
    }

    /// Marks an original as in doubt (`UnprovenRows`), even if it has no row here, and waits until the mark is in the index.
    /// - Parameter isAway: called twice a second; true ends the wait.
    /// - Returns: false if a restart would not know of the doubt.
    package func noteDoubt(about key: OriginalKey, unless isAway: () -> Bool = { false }) -> Bool {
        guard !queue.isFull else { return false }
        queue.push(.noteDoubt(key))
        var isGivenUp = false
        queue.flush(forRoom: false) {
            isGivenUp = isAway()
            return isGivenUp
        }
        return !isGivenUp && !queue.holdsBack && !queue.isOver
    }

    /// Removes the marks of `unproven` originals that are forgotten in all caches. Until this call, each opening reports them
    /// again, because a start may fail before, and a command that opens the folder only forgets them in this cache.
    package func settle(_ forgotten: [OriginalKey]) {
        for key in forgotten where !configuration.isInDoubt(key) {
            let name = NameKey(key)
            // On a full disk, the row may still exist. If the original is kept again at this moment, its row is queued after this
            // deletion.
            catalogue.names.update(name) { held in
                if held == nil { queue.push(.deleteOriginal(name)) }
            }
            queue.push(.endDoubt(key))
        }
    }
}
