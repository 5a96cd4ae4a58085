// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import SourceURLs
internal import Synchronization

/// Caching fields whose row is not committed yet, because a revalidation may follow a fetch within
/// milliseconds; and their originals, because a purge takes them also while the index cannot be written.
///
/// **Isolation:** a `Mutex`. Fields are entered before their change is queued and removed after its commit,
/// so that a reader that looks here first and then in the index misses nothing.
final class PendingFields: Sendable {
    private struct Pending: Sendable {
        let key: OriginalKey
        var fields: String
        /// Queued changes that write this row's fields.
        var changes: Int
    }

    private let pending = Mutex<[NameKey: Pending]>([:])

    subscript(key: NameKey) -> String? { pending.withLock { $0[key]?.fields } }

    func put(_ fields: String, for name: NameKey, of key: OriginalKey) {
        pending.withLock {
            $0[name] = Pending(key: key, fields: fields, changes: ($0[name]?.changes ?? 0) + 1)
        }
    }

    /// The originals among these that match, by their key and their fields.
    func keys(where matches: (OriginalKey, String) -> Bool) -> [OriginalKey] {
        pending.withLock { $0.values.filter { matches($0.key, $0.fields) }.map(\.key) }
    }

    func committed(_ changes: [Change]) {
        pending.withLock { pending in
            for change in changes {
                if let key = change.row.answered { Self.remove(NameKey(key), from: &pending) }
            }
        }
    }

    private static func remove(_ key: NameKey, from pending: inout [NameKey: Pending]) {
        guard let held = pending[key] else { return }
        if held.changes > 1 { pending[key]?.changes -= 1 } else { pending[key] = nil }
    }
}
