// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
internal import ImageHeaders
package import Kernel
package import Pipeline
package import Recipes
package import SourceURLs

extension DiskStore {
    /// What is held of an original. From memory; it becomes the most recently used.
    package func original(_ key: OriginalKey) -> Original? {
        let name = NameKey(key)
        let moment = seconds
        let (entry, isLate) = catalogue.names.touch(name, at: moment, precision: Self.accessPrecision)
        guard let entry else { return nil }
        if isLate { queue.push(.touchOriginal(name, accessed: moment)) }
        guard let file = catalogue.originals.table[entry.digest] else {
            // Its file went as damaged in this moment.
            queue.push(catalogue.removeName(name, leadingTo: entry.digest))
            return nil
        }
        return Original(
            key: key, digest: OriginalDigest(entry.digest), length: file.length, header: file.picture.header,
            lastModified: entry.lastModified, freshness: entry.freshness)
    }

    /// Opens an original's file, checked. Nil: it is not held, or was found damaged or gone, and is forgotten.
    ///
    /// The first time since the start of the process its whole body is read (about 1 ms for 2 MB).
    package func openOriginal(_ digest: OriginalDigest) -> Body? {
        guard let entry = catalogue.originals.table[digest.digest] else { return nil }
        switch catalogue.originals.openChecked(entry) {
        case .open(let file): return .file(file, length: entry.length)
        case .failed: return nil
        case .absent: counters.add(counters.vanished)
        case .damaged: noteDamage(.original, digest.digest)
        }
        queue.push(catalogue.removeOriginal(digest.digest))
        return nil
    }

    /// Keeps an original: its file and what is known of it. `fields` is opaque here and comes back from
    /// `cachingFields(of:)`.
    ///
    /// `original.length` and `original.digest` are the body's. Returns the body to go on with, kept or not.
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
            let released = catalogue.put(
                NameEntry(
                    key: name, digest: digest, freshness: original.freshness,
                    lastModified: original.lastModified,
                    accessed: moment, recorded: moment))
            pending.put(fields, for: name)
            queue.push([Change(.putOriginal(original, fields: fields, accessed: moment), releasing: released)]
            )
        }
        return isKept ? settled(body, as: digest, on: catalogue.originals) : body
    }

    /// The same bytes are good for longer. Nothing happens if they are not held any more.
    package func refreshOriginal(_ key: OriginalKey, freshness: Freshness, cachingFields fields: String) {
        let name = NameKey(key)
        let isHeld = catalogue.names.update(name) { entry in
            entry?.freshness = freshness
            return entry != nil
        }
        guard isHeld else { return }
        pending.put(fields, for: name)
        queue.push(.refreshOriginal(name, freshness, fields: fields))
    }

    /// What `keepOriginal` or `refreshOriginal` was last given for a held original, otherwise "".
    ///
    /// Reads the index (about 10 µs): to be asked before going to the network, not for a hit.
    package func cachingFields(of key: OriginalKey) -> String {
        let name = NameKey(key)
        guard catalogue.names[name] != nil else { return "" }
        return pending[name] ?? readFields(name)
    }

    package func forgetOriginal(_ key: OriginalKey) { queue.push(catalogue.removeName(NameKey(key))) }
}
