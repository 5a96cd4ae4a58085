// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The originals whose last answer may not be kept (`no-store`, `private`), so that the shared store does not have them. A look for
/// one would cost the store a request, and the asker the wait for it.
///
/// Another node may have got an answer since that may be kept. Then this node asks the origin once where it could have asked the
/// store, and learns from the answer. A failed fetch removes the entry, because the store may have what the origin does not give.
struct UnsharedOriginals: Sendable {
    /// Originals remembered, some 300 KB. The eighth whose last fetch is longest ago makes room.
    static let capacity = 8_192

    /// Keyed by the hash of the original's key, because URLs may be long. Two keys with one hash cost one look too few or too many.
    private var lastUse: [Int: UInt64] = [:]
    private var uses: UInt64 = 0

    /// The number of originals remembered.
    var count: Int { lastUse.count }

    func contains(_ key: OriginalKey) -> Bool { lastUse[key.hashValue] != nil }

    mutating func learn(_ key: OriginalKey, isUnshared: Bool) {
        let hash = key.hashValue
        guard isUnshared else {
            lastUse[hash] = nil
            return
        }
        uses += 1
        if lastUse[hash] == nil, lastUse.count >= Self.capacity { lastUse.forgetEighth { $0 } }
        lastUse[hash] = uses
    }
}
