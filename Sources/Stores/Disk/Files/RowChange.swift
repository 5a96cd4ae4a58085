// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import Pipeline
internal import Recipes
internal import SourceURLs

/// The change of one row of the index.
enum RowChange: Sendable {
    indirect case putOriginal(Original, fields: String, accessed: UInt32)
    indirect case refreshOriginal(OriginalKey, Freshness, lastModified: Timestamp?, fields: String)
    /// Ends the row's lifetimes.
    case expireOriginal(NameKey, Freshness)
    case touchOriginal(NameKey, accessed: UInt32)
    case deleteOriginal(NameKey)
    /// `url` is the URL for which the rendition was made. A nil original or URL is unknown, because the file was recovered after
    /// the index was lost.
    indirect case putRendition(Rendition, of: OriginalDigest?, url: String?, accessed: UInt32)
    /// The rendition of this key bears this original as a watermark; queued before the rendition's own row.
    indirect case noteWatermark(Digest, of: OriginalDigest, url: String)
    case touchRendition(Digest, accessed: UInt32)
    case deleteRendition(Digest)
    /// From now on, files without a row count as orphans, even after a restart.
    case noteSweep
    /// The original's answer may turn out to belong to another URL: see `UnprovenRows`.
    case noteDoubt(OriginalKey)
    /// The doubt is over: the answer is proved, or the original is forgotten.
    case endDoubt(OriginalKey)

    /// The original whose answer from the origin this change records; nil for other changes.
    var answered: OriginalKey? {
        switch self {
        case .putOriginal(let original, _, _): original.key
        case .refreshOriginal(let key, _, _, _): key
        default: nil
        }
    }

    /// Bytes of the change's texts. Others choose their length: an origin may send 64 KiB of fields.
    var textBytes: Int {
        switch self {
        case .putOriginal(let original, let fields, _): Self.bytes(of: original.key) + fields.utf8.count
        case .refreshOriginal(let key, _, _, let fields): Self.bytes(of: key) + fields.utf8.count
        case .putRendition(_, _, let url, _): url?.utf8.count ?? 0
        case .noteWatermark(_, _, let url): url.utf8.count
        case .noteDoubt(let key), .endDoubt(let key): Self.bytes(of: key)
        case .expireOriginal, .touchOriginal, .deleteOriginal, .touchRendition, .deleteRendition, .noteSweep:
            0
        }
    }

    private static func bytes(of key: OriginalKey) -> Int { key.url.utf8.count + key.variant.utf8.count }

    /// The original that gets a mark for its doubt; nil for other changes.
    var marked: OriginalKey? { if case .noteDoubt(let key) = self { key } else { nil } }
}

/// A change of a row, and the file to remove after its commit unless the file is referenced then.
struct Change: Sendable {
    struct File: Sendable {
        let kind: Footer.Kind
        let name: Digest
    }

    let row: RowChange
    let released: File?

    init(_ row: RowChange, releasing released: File? = nil) {
        self.row = row
        self.released = released
    }
}
