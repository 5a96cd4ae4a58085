// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
internal import Kernel
internal import Recipes
internal import SourceURLs

/// A change of the shared store that is made after an answer was sent.
struct StoreChange: Sendable {
    enum Kind: Sendable {
        /// Writes an object with this content and metadata.
        case put(ObjectName, Content, metadata: [UInt8], at: Timestamp)
        case delete(ObjectName)
        /// Deletes entries, and these bytes with all renditions made from them.
        case purge(Set<ObjectName>, Set<OriginalDigest>)
    }

    /// The body of an object.
    enum Content: Sendable {
        case none
        case held(Body)
        /// Bytes of the disk cache, opened only when the object is written; they may be gone by then.
        case later(@Sendable () -> Body?, length: Int)

        /// The length in bytes.
        var length: Int {
            switch self {
            case .none: 0
            case .held(let body): body.length
            case .later(_, let length): length
            }
        }
    }

    private(set) var kind: Kind
    /// The key of a URL's entry, by which a purge finds a waiting write.
    var key: OriginalKey?
    /// The tags of that entry.
    var tags: [String] = []
    /// The digest of the bytes concerned.
    var digest: OriginalDigest?
    /// True if the bytes that the purged entries name must be deleted as well; this node does not know which they are.
    var takesBytes = false
    /// The change is not made before this time, in microseconds of the monotonic clock, unless somebody waits for it; nil for at
    /// once.
    var due: Int64?
    /// The number of failed tries.
    var failures = 0

    init(_ kind: Kind) { self.kind = kind }

    /// The bytes that the change holds.
    var size: Int {
        guard case .put(_, let content, let metadata, _) = kind else { return 0 }
        return content.length + metadata.count + Envelope.trailerSize
    }

    /// The object that is changed; nil for a purge, which concerns several.
    var name: ObjectName? {
        switch kind {
        case .put(let name, _, _, _), .delete(let name): name
        case .purge: nil
        }
    }

    /// The entries that the change deletes.
    var leaving: Set<ObjectName> {
        switch kind {
        case .delete(let name): [name]
        case .purge(let names, _): names
        case .put: []
        }
    }

    /// The object with the bytes that must exist before the entry is written: an entry that neither has nor finds its bytes leads
    /// nowhere.
    var foundation: ObjectName? {
        guard case .put(let name, .none, _, _) = kind, name.kind == .entry else { return nil }
        return digest.map(ObjectName.original)
    }

    /// This change; but if it would open its bytes later, and a waiting change holds the same bytes, it takes these, because the
    /// others may be gone by then.
    func keepingBytes(of waiting: StoreChange) -> StoreChange {
        guard digest != nil, digest == waiting.digest,
            case .put(let name, .later, let metadata, let time) = kind,
            case .put(_, let content, _, _) = waiting.kind, case .held = content
        else { return self }
        var kept = self
        kept.kind = .put(name, content, metadata: metadata, at: time)
        return kept
    }

    /// True if no other change may be made at the same time: a write under way must not end after a purge.
    var isAlone: Bool { if case .purge = kind { true } else { false } }
}
