// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// The originals whose last answer may not be kept (`no-store`, `private`), so that the shared store does not have them: a look
/// costs it a request, and whoever asks the wait for it.
///
/// Another node may have got an answer since that may be kept. Then this node asks the origin once where it could have asked the
/// store, and learns from the answer. A fetch that fails ends what is known: the store may have what the origin does not give.
struct UnsharedOriginals: Sendable {
    /// Names remembered, some 300 KB; the eighth that was fetched the longest ago makes room.
    static let capacity = 8_192

    /// By the key's hash, because URLs may be long. Two keys of one hash cost a look less, or one more.
    private var lastUse: [Int: UInt64] = [:]
    private var uses: UInt64 = 0

    /// Names remembered.
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
