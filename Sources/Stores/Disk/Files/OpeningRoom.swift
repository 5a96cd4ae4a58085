// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// The room on the disk without which not even the index of a cache can be opened: bytes and inodes.
///
/// Files that leave for it keep their rows until the next sweep or request finds them missing, as files that others have removed.
/// Originals leave first: if the index is lost, they are worthless anyway.
///
/// The file system need not tell what a removal has given back: statvfs(3) knows no user's quota, XFS frees removed files a moment
/// later, Btrfs and ZFS with their next commit, and never while a snapshot has them. So what leaves is counted by what the files
/// occupied.
struct OpeningRoom {
    /// What making room asks of the system.
    struct System {
        /// Free bytes and inodes; nil if the file system does not tell.
        var space: () -> DiskSpace?
        /// Has the file system write what it has in memory.
        var sync: () -> Void
        /// Waits before the next look at the free space.
        var pause: () -> Void
        /// The time in seconds of the monotonic clock.
        var seconds: () -> Int64
    }

    /// For a new index with its log and the memory that its connections share, and for some rows.
    private static let bytes = 256 << 10
    /// For these three files, and for a few that come next.
    private static let files = 8
    /// The most files that leave at once. Some occupy no block of their own.
    private static let most = 64
    /// Looks at the free space after the files have left, before the opening is tried all the same.
    static let looks = 10

    private let folder: CacheFolder
    private let attempts: OpeningAttempts
    private let system: System

    init(_ folder: CacheFolder, _ attempts: OpeningAttempts, on system: System? = nil) {
        self.folder = folder
        self.attempts = attempts
        self.system =
            system
            ?? System(
                space: { folder.space }, sync: { folder.syncFileSystem() }, pause: { usleep(50_000) },
                seconds: { pictor_monotonic_microseconds() / 1_000_000 })
    }

    /// True if a lack of room is why the index could not be opened.
    func isLacking(after error: SQLiteError) -> Bool {
        switch error.kind {
        case .diskFull: true
        // Of a file that cannot be made, SQLite says only that it cannot be opened.
        case .io: !error.isOfReading && (isLacking || folder.refusesFiles)
        default: false
        }
    }

    /// True if the file system says that it has less than this room.
    private var isLacking: Bool { missing != (0, 0) }

    /// Removes files that have occupied as much as is missing, unless that was in vain less than a minute ago. Then waits for a
    /// moment until the file system has the room. Blocks.
    /// - Returns: true if files have left, so that the opening is worth another attempt.
    func make() -> Bool {
        let moment = system.seconds()
        guard attempts.isDue(at: moment) else { return false }
        attempts.noteAttempt(at: moment)
        let tells = isLacking
        guard removeFiles(while: { !tells || isLacking }) else { return false }
        guard !tells || isLacking else { return true }
        system.sync()
        for _ in 0..<Self.looks where isLacking { system.pause() }
        return true
    }

    /// - Returns: false if nothing could be removed.
    private func removeFiles(while isWanted: () -> Bool) -> Bool {
        var (rest, count) = (wanted, 0)
        let device = folder.indexDevice
        for partition in [folder.originals, folder.renditions] {
            for part in FilePath.folders {
                for name in Directory.names(in: partition.raw, part) {
                    guard rest.bytes > 0 || rest.files > 0, count < Self.most, isWanted() else {
                        return count > 0
                    }
                    let path = "\(part)/\(name)"
                    guard let bytes = Self.remove(path, in: partition.raw, on: device) else { continue }
                    rest = (rest.bytes - bytes, rest.files - 1)
                    count += 1
                }
            }
        }
        return count > 0
    }

    /// What files must give back: all of the room if the file system does not miss any, because then a quota is used up.
    private var wanted: (bytes: Int, files: Int) {
        let told = missing
        return told == (0, 0) ? (Self.bytes, Self.files) : told
    }

    /// What the file system has free less than this room.
    private var missing: (bytes: Int, files: Int) {
        guard let space = system.space() else { return (0, 0) }
        let files = space.files?.free ?? Self.files
        return (Self.bytes - min(space.bytes.free, Self.bytes), Self.files - min(files, Self.files))
    }

    /// Removes a file, unless that would give nothing back to the index: a folder of an earlier layout, a link, a file with
    /// another name, or a file on another file system, because a part of the cache may be a link to one.
    /// - Returns: the bytes that it has occupied, counted up to the whole room; nil if it stays.
    private static func remove(_ path: String, in partition: Int32, on device: dev_t?) -> Int? {
        var status = stat()
        guard fstatat(partition, path, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_nlink == 1, status.st_dev == device,
            unlinkat(partition, path, 0) == 0
        else { return nil }
        // Cannot trap: the number of blocks is limited.
        return min(max(0, Int(status.st_blocks)), bytes / 512) * 512
    }
}
