// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The room on the disk without which not even the index of a cache can be opened.
///
/// Files that leave for it keep their rows until the next sweep or request finds them missing, as files that others have removed.
/// Originals leave first: if the index is lost, they are worthless anyway.
struct OpeningRoom {
    /// For a new index with its log and the memory that its connections share, and for some rows.
    private static let bytes = 256 << 10

    private let folder: CacheFolder

    init(_ folder: CacheFolder) { self.folder = folder }

    /// Removes files until there is room.
    /// - Returns: false if there is too little, because the cache has no files, or because their removal gives no room back: snapshots
    ///   may hold them.
    func make() -> Bool {
        for partition in [folder.originals, folder.renditions] {
            for part in FilePath.folders {
                for name in Directory.names(in: partition.raw, part) {
                    guard let before = free, before < Self.bytes else { return free != nil }
                    unlinkat(partition.raw, "\(part)/\(name)", 0)
                    guard let after = free, after > before else { return false }
                }
            }
        }
        return free.map { $0 >= Self.bytes } ?? false
    }

    /// Free bytes of the file system; nil if it does not tell.
    private var free: Int? { folder.space?.bytes.free }
}
