// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import SourceURLs

/// Caching fields whose row is not committed yet. They are kept because a revalidation may follow a fetch within milliseconds,
/// and because a purge must find these originals even while the index cannot be written.
///
/// **Isolation:** a `Mutex` per shard. Fields are entered before their change is queued and removed after its commit,
/// so that a reader that looks here first and then in the index misses nothing.
final class PendingFields: Sendable {
    private struct Pending: Sendable {
        let key: OriginalKey
        var fields: String
        /// The number of queued changes that write this row's fields.
        var changes: Int
    }

    private let shards = Shards<[NameKey: Pending]>(count: 16) { _ in [:] }

    subscript(key: NameKey) -> String? { withLock(key) { $0[key]?.fields } }

    func put(_ fields: String, for name: NameKey, of key: OriginalKey) {
        withLock(name) {
            $0[name] = Pending(key: key, fields: fields, changes: ($0[name]?.changes ?? 0) + 1)
        }
    }

    /// The originals whose key and fields match. One that is committed meanwhile may be missed, but then the index has it.
    ///
    /// Copies are searched, because `put` runs under the lock of a name, for which event loops wait: reading the tags of 100,000
    /// entries (`ChangeQueue.limit`) takes a second, while copying a sixteenth of them takes 1 to 2 ms.
    func keys(where matches: (OriginalKey, String) -> Bool) -> [OriginalKey] {
        (0..<shards.count).flatMap { shard in
            let entries = shards.withLock(at: shard) { Array($0.values) }
            return entries.filter { matches($0.key, $0.fields) }.map(\.key)
        }
    }

    func committed(_ changes: [Change]) {
        for change in changes {
            guard let key = change.row.answered.map({ NameKey($0) }) else { continue }
            withLock(key) { Self.remove(key, from: &$0) }
        }
    }

    private static func remove(_ key: NameKey, from pending: inout [NameKey: Pending]) {
        guard let held = pending[key] else { return }
        if held.changes > 1 { pending[key]?.changes -= 1 } else { pending[key] = nil }
    }

    /// The key is a digest, so it serves as its own hash.
    private func withLock<Result: Sendable>(
        _ key: NameKey, _ body: (inout [NameKey: Pending]) -> Result
    ) -> Result {
        shards.withLock(hash: key.words.0, body)
    }
}
