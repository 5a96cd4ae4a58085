// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics

/// What the disk cache holds, in memory: the truth between a request and its answer.
///
/// A name (URL) refers to an original's file by its digest; several names may share one. Each removal takes things
/// out of the tables and returns the row changes that have to follow: the writer commits those, then removes the
/// files that nothing holds any more.
///
/// **Isolation:** its tables guard themselves.
final class Catalogue: Sendable {
    let names = EntryTable<NameEntry>()
    let originals: CachePartition
    let renditions: CachePartition

    init(originals: CachePartition, renditions: CachePartition) {
        self.originals = originals
        self.renditions = renditions
    }

    /// Bytes that files take up.
    var bytes: Int { originals.bytes + renditions.bytes }

    /// Files, each of which takes an inode.
    var fileCount: Int { originals.table.count + renditions.table.count }

    func partition(_ kind: Footer.Kind) -> CachePartition { kind == .original ? originals : renditions }

    /// Makes the name refer to a file that was just held on its behalf. To be called in the file's turn.
    ///
    /// Returns the file that it referred to before.
    func put(_ entry: NameEntry) -> Change.File? {
        let before = names.update(entry.key) { held in
            let before = held?.digest
            held = entry
            return before
        }
        guard let before else { return nil }
        originals.release(before)
        return before == entry.digest ? nil : Change.File(kind: .original, name: before)
    }

    /// Takes a name out, only if it still leads to `digest` where one is given.
    func removeName(_ key: NameKey, leadingTo digest: Digest? = nil) -> [Change] {
        let removed = names.update(key) { held -> Digest? in
            guard let entry = held, digest == nil || entry.digest == digest else { return nil }
            held = nil
            return entry.digest
        }
        guard let removed else { return [] }
        originals.release(removed)
        return [Change(.deleteOriginal(key), releasing: Change.File(kind: .original, name: removed))]
    }

    /// Takes a file out with all names that lead to it. Looks at every name, so only for damage.
    func removeOriginal(_ digest: Digest) -> [Change] {
        (0..<names.shardCount)
            .flatMap { names.entries(ofShard: $0).filter { $0.digest == digest } }
            .flatMap { removeName($0.key, leadingTo: digest) }
    }

    /// Takes a rendition out, only if it still has `length` where one is given.
    func removeRendition(_ key: Digest, length: Int? = nil) -> [Change] {
        guard let entry = renditions.table[key], length == nil || entry.length == length else { return [] }
        renditions.release(key)
        return [Change(.deleteRendition(key), releasing: Change.File(kind: .rendition, name: key))]
    }
}
