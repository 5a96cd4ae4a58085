// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

internal import Synchronization

/// Caching fields whose row is not committed yet, because a revalidation may follow a fetch within
/// milliseconds.
///
/// **Isolation:** a `Mutex`. Fields are entered before their change is queued and removed after its commit,
/// so that a reader that looks here first and then in the index misses nothing.
final class PendingFields: Sendable {
    private struct Pending: Sendable {
        var fields: String
        /// Queued changes that write this row's fields.
        var changes: Int
    }

    private let pending = Mutex<[NameKey: Pending]>([:])

    subscript(key: NameKey) -> String? { pending.withLock { $0[key]?.fields } }

    func put(_ fields: String, for key: NameKey) {
        pending.withLock { $0[key] = Pending(fields: fields, changes: ($0[key]?.changes ?? 0) + 1) }
    }

    func committed(_ changes: [Change]) {
        pending.withLock { pending in
            for change in changes {
                switch change.row {
                case .putOriginal(let original, _, _): Self.remove(NameKey(original.key), from: &pending)
                case .refreshOriginal(let key, _, _, _): Self.remove(key, from: &pending)
                default: break
                }
            }
        }
    }

    private static func remove(_ key: NameKey, from pending: inout [NameKey: Pending]) {
        guard let held = pending[key] else { return }
        pending[key] = held.changes > 1 ? Pending(fields: held.fields, changes: held.changes - 1) : nil
    }
}
