// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The room on the disk without which not even the index of a cache can be opened: bytes and inodes.
///
/// Files that leave for it keep their rows until the next sweep or request finds them missing, as files that others have removed.
/// Originals leave first: if the index is lost, they are worthless anyway.
struct OpeningRoom {
    /// For a new index with its log and the memory that its connections share, and for some rows.
    private static let bytes = 256 << 10
    /// For these three files, and for a few that come next.
    private static let files = 8

    private let folder: CacheFolder

    init(_ folder: CacheFolder) { self.folder = folder }

    /// True if the file system says that it has less than this room.
    var isLacking: Bool { folder.space.map(Self.lacks) ?? false }

    /// True if there is less free than this room.
    private static func lacks(_ space: DiskSpace) -> Bool {
        space.bytes.free < bytes || space.files.map { $0.free < files } ?? false
    }

    /// Removes files until there is room.
    /// - Returns: false if there is too little, because the cache has no files, or because their removal gives no room back: snapshots
    ///   may hold them.
    func make() -> Bool {
        for partition in [folder.originals, folder.renditions] {
            for part in FilePath.folders {
                for name in Directory.names(in: partition.raw, part) {
                    guard let before = folder.space, Self.lacks(before) else { return true }
                    unlinkat(partition.raw, "\(part)/\(name)", 0)
                    guard let after = folder.space, after.isRoomier(than: before) else { return false }
                }
            }
        }
        return !isLacking
    }
}

extension DiskSpace {
    fileprivate func isRoomier(than other: DiskSpace) -> Bool {
        bytes.free > other.bytes.free || files?.free ?? 0 > other.files?.free ?? 0
    }
}
