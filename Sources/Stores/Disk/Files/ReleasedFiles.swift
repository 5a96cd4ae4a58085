// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Recipes

/// Files that the disk cache no longer counts. Holders should close them, because their bytes stay on the disk and count in no
/// budget.
package enum ReleasedFiles: Sendable, Hashable {
    /// All files: the folder was given up.
    case all
    /// Renditions, by their keys: evicted, purged, replaced, or lost.
    case renditions(Set<RenditionKey>)
    /// Originals, by their digests; for the same reasons as renditions.
    case originals(Set<OriginalDigest>)
    /// Files that have lost their names, by their inode numbers (`FileState.number`).
    case nameless(Set<UInt64>)
}

extension ReleasedFiles {
    /// Files of one kind, by their names.
    init(_ kind: Footer.Kind, _ names: Set<Digest>) {
        switch kind {
        case .original: self = .originals(Set(names.map { OriginalDigest($0) }))
        case .rendition: self = .renditions(Set(names.map { RenditionKey($0) }))
        }
    }
}
