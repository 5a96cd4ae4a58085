// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching

/// The purge tags of originals that were kept, loaded or looked up, so that an answer of a tagged original need not wait for the
/// index. Those used last are held; an origin chooses how long they are, so their bytes are bounded.
///
/// **Isolation:** the store guards itself. An original's tags change under the lock of its name (`Catalogue.names`).
final class TagMemory: Sendable {
    private final class Entry: Sendable {
        let digest: Digest
        /// The lines with the tags, as `StoredFields` serialises them.
        let lines: String

        init(_ digest: Digest, _ lines: String) { (self.digest, self.lines) = (digest, lines) }
    }

    /// Bytes: the tags of some 30,000 originals.
    static let budget = 8 << 20
    /// Bytes of an entry beside its text: two objects.
    private static let overhead = 96

    private let entries: MemoryStore<Entry>

    init(budget: Int = TagMemory.budget) { entries = MemoryStore(budget: budget) }

    /// The tags of an original with these bytes; nil if they are not held.
    func tags(of key: NameKey, _ digest: Digest) -> [String]? {
        let found = withUnsafeBytes(of: key.words) { entries.value(for: $0) }
        guard let found, found.digest == digest else { return nil }
        return StoredFields(serialized: found.lines)?.tags
    }

    /// Holds the tags that are in the serialized fields of an original, in place of those held before.
    /// - Returns: the bytes that they take.
    @discardableResult
    func hold(_ fields: String, for key: NameKey, of digest: Digest) -> Int {
        guard StoredFields.mayHaveTags(serialized: fields) else {
            forget(key)
            return 0
        }
        let lines = StoredFields.tagLines(serialized: fields)
        let cost = lines.utf8.count + Self.overhead
        _ = withUnsafeBytes(of: key.words) { entries.insert(Entry(digest, lines), for: $0, cost: cost) }
        return cost + MemoryStore<Entry>.entryOverhead
    }

    func forget(_ key: NameKey) { withUnsafeBytes(of: key.words) { entries.remove($0) } }
}
