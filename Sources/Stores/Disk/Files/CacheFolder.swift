// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// The cache's folder, held open and locked: `originals`, `renditions`, `incoming`, `index.sqlite`, `lock`.
///
/// Its contents show which clients looked at which pictures, so only the owner may read it, even if the umask or an earlier
/// version allowed more.
///
/// **Isolation:** immutable except for an atomic count.
final class CacheFolder: Sendable {
    /// The folders in it.
    static let folders = ["originals", "renditions", "incoming"]
    /// The suffixes of the files that SQLite has for an open index.
    static let indexSuffixes = ["", "-wal", "-shm"]

    /// The rights that this process has in the folder.
    enum Access: Sendable { case readOnly, readWrite }

    let path: String
    let access: Access
    let originals: OwnedDescriptor
    let renditions: OwnedDescriptor
    /// The folder for files with a temporary name, which is emptied at start. In a read-only folder, the folder itself.
    let incoming: OwnedDescriptor
    /// When the folder was opened: nanoseconds since 1970 by the kernel's clock, which also dates files.
    let openingTime: Int
    /// The path of the index without symbolic links, because SQLite is told to follow none.
    let indexPath: String
    private let root: OwnedDescriptor
    /// Nil for a read-only folder that has never been written to.
    private let lock: OwnedDescriptor?
    private let identities: [PathIdentity]
    private let usesUnnamedFiles: Bool
    private let minimumFree: ReservedSpace
    private let held: HeldBytes
    private let counter = Atomic<Int>(0)

    init(_ configuration: DiskConfiguration, _ access: Access) throws(DiskStoreError) {
        path = configuration.folder
        self.access = access
        usesUnnamedFiles = configuration.usesUnnamedFiles
        minimumFree = configuration.minimumFree
        held = configuration.held
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        openingTime = FileState.nanoseconds(time)
        do throws(SystemError) {
            if access == .readWrite { try Self.makeFolders(path) }
            root = try Self.openFolder(path)
            let index = (Self.indexSuffixes + ["-journal"]).map { "index.sqlite" + $0 }
            try FolderPart.refuseLinks(root.raw, index)
            indexPath = try FolderPart.resolvedPath(root.raw, path, "index.sqlite")
            lock = try Self.lock(root.raw, access)
            if access == .readWrite {
                for name in Self.folders {
                    try Self.makeFolder(root.raw, name)
                    try Self.mustBeWritable(root.raw, name)
                }
                Self.makePrivate(root.raw)
            }
            let flags = O_RDONLY | O_DIRECTORY
            originals = try FolderPart.open(root.raw, "originals", flags)
            renditions = try FolderPart.open(root.raw, "renditions", flags)
            incoming = try FolderPart.open(root.raw, access == .readWrite ? "incoming" : ".", flags)
        } catch {
            throw error.call == "flock" && error.code == EWOULDBLOCK
                ? .inUse(folder: path) : .folder(path, error)
        }
        identities = Self.identities(
            path,
            [
                ("", root), ("lock", lock), ("originals", originals), ("renditions", renditions),
                ("incoming", access == .readWrite ? incoming : nil),
            ])
        if access == .readWrite { clear() }
    }

    /// Empties `incoming`, and makes the folders into which files are linked.
    private func clear() {
        for name in Directory.names(in: incoming.raw, ".") { unlinkat(incoming.raw, name, 0) }
        for folder in FilePath.folders {
            // If a folder cannot be made, the first file for it fails.
            mkdirat(originals.raw, folder, FilePath.folderMode)
            mkdirat(renditions.raw, folder, FilePath.folderMode)
        }
    }

    /// Bytes of the index and its write-ahead log.
    var indexBytes: Int { size(of: "index.sqlite") + logBytes }

    /// Bytes of the index's write-ahead log.
    var logBytes: Int { size(of: "index.sqlite-wal") }

    private func size(of name: String) -> Int {
        var status = stat()
        return fstatat(root.raw, name, &status, 0) == 0 ? Int(status.st_size) : 0
    }

    /// Flushes the index's write-ahead log, and so its commits, to the medium: with synchronous=NORMAL, SQLite leaves that to a
    /// checkpoint, and a power cut may lose them. Closing a file releases all POSIX locks of the process on it; SQLite holds none
    /// on the log (https://sqlite.org/walformat.html).
    func syncIndex() throws(SystemError) {
        let raw = openat(root.raw, "index.sqlite-wal", O_RDONLY | O_CLOEXEC)
        if raw < 0, errno == ENOENT { return }
        guard raw >= 0 else { throw .last("openat") }
        let log = OwnedDescriptor(adopting: raw)
        guard fdatasync(log.raw) == 0 else { throw .last("fdatasync") }
    }

    /// An empty file without a name, open for reading and writing, which disappears unless it is kept.
    ///
    /// The file is on the cache's file system if that is writable, so that keeping it takes one link. Otherwise it is in memory,
    /// so that pictures can be answered, though not kept, with a full or read-only disk. Its bytes count as held until it is kept
    /// or closed.
    /// - Throws: if too many bytes are held, if not even memory has room, or if only reserved descriptors are left.
    func makeFile() throws(SystemError) -> OwnedDescriptor {
        guard takesNew else { return try held.makeInMemory() }
        try held.disk.refuseIfSpent()
        guard let file = makeUnnamed() ?? makeNamedAndForget() else { return try held.makeInMemory() }
        return try OwnedDescriptor(adopting: file, in: held.disk, of: held).forRequest()
    }

    /// Nil on a file system without O_TMPFILE (overlayfs before Linux 6.1, some network file systems).
    private func makeUnnamed() -> Int32? {
        guard usesUnnamedFiles else { return nil }
        let file = pictor_open_unnamed(root.raw)
        return file >= 0 ? file : nil
    }

    private func makeNamedAndForget() -> Int32? {
        let name = makeIncomingName()
        let file = openIncoming(name)
        guard file >= 0 else { return nil }
        unlinkat(incoming.raw, name, 0)
        return file
    }

    /// Takes ownership of a file that was opened in the folder.
    func adopt(
        _ file: Int32, in state: FileState,
        whenBroken: @escaping @Sendable (OwnedDescriptor, SystemError) -> Void
    ) -> OwnedDescriptor {
        OwnedDescriptor(adopting: file, in: state, of: held, whenBroken: whenBroken)
    }

    /// A named file in `incoming`, for bytes that must be copied into the cache.
    func makeIncoming() throws(SystemError) -> (file: OwnedDescriptor, name: String) {
        let name = makeIncomingName()
        let file = openIncoming(name)
        guard file >= 0 else { throw .last("open incoming") }
        return (OwnedDescriptor(adopting: file), name)
    }

    private func openIncoming(_ name: String) -> Int32 {
        openat(incoming.raw, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FilePath.fileMode)
    }

    /// An unused name in `incoming`.
    func makeIncomingName() -> String { String(counter.add(1, ordering: .relaxed).newValue) }

    /// Releases the lock, so that another store can open the folder.
    func unlock() { if let lock { pictor_unlock(lock.raw) } }

    /// True if the file system verifies checksums of its own: ZFS, Btrfs, bcachefs (statfs(2), f_type).
    var checksItself: Bool {
        [0x2FC1_2FC1, 0x9123_683E, 0xCA45_1A4E].contains(pictor_file_system_type(root.raw))
    }

    // MARK: Condition.

    /// False once the folder or a part of it was deleted, moved or covered by a mount.
    var isInPlace: Bool { identities.allSatisfy(\.holds) }

    /// - Throws: if it is not in place.
    func mustBeInPlace() throws(DiskStoreError) {
        guard isInPlace else { throw .replaced(folder: path) }
    }

    /// Free bytes and inodes; nil if the file system does not tell.
    var space: DiskSpace? { DiskSpace(of: root, leaving: minimumFree) }

    /// Has the file system write what it has in memory. Blocks.
    func syncFileSystem() { pictor_sync_file_system(root.raw) }

    /// The device of the folder that has the index; nil if it cannot be told.
    var indexDevice: dev_t? {
        var status = stat()
        let end = indexPath.lastIndex(of: "/") ?? indexPath.startIndex
        return stat(String(indexPath[...end]), &status) == 0 ? status.st_dev : nil
    }

    /// True if the file system refuses a new file, however small, for want of room or of quota.
    var refusesFiles: Bool {
        do throws(SystemError) {
            let made = try makeIncoming()
            unlinkat(incoming.raw, made.name, 0)
            return false
        } catch {
            return [ENOSPC, EDQUOT].contains(error.code)
        }
    }

    /// True if new files may be kept. If the file system does not report its space, it is tried.
    var takesNew: Bool { access == .readWrite && space?.takesNew ?? true }

    /// Writes a block to a file in each of the folders, and removes it.
    /// - Throws: if that fails, or the file system has too little space.
    func probe() throws(SystemError) {
        if let space, !space.takesNew { throw space.obstacle }
        for folder in [originals.raw, renditions.raw, incoming.raw] {
            let flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC
            let file = openat(folder, "probe", flags, FilePath.fileMode)
            guard file >= 0 else { throw .last("open probe") }
            let descriptor = OwnedDescriptor(adopting: file)
            defer { unlinkat(folder, "probe", 0) }
            try FileIO.write([UInt8](repeating: 0, count: 4_096), to: descriptor.raw, at: 0)
        }
    }

    /// True if a folder that was opened read-only may be writable now.
    static func isWritable(_ path: String) -> Bool {
        ([""] + folders).allSatisfy { part in
            faccessat(AT_FDCWD, "\(path)/\(part)", W_OK, AT_EACCESS) == 0 || errno == ENOENT
        }
    }
}
