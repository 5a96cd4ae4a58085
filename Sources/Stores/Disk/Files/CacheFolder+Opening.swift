// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// The steps of opening the folder: making, locking and closing it to others.
extension CacheFolder {
    static func lock(_ root: Int32, _ access: Access) throws(SystemError) -> OwnedDescriptor? {
        let flags = access == .readWrite ? O_RDWR | O_CREAT : O_RDONLY
        let lock: OwnedDescriptor
        do throws(SystemError) {
            lock = try FolderPart.open(root, "lock", flags)
        } catch {
            if access == .readOnly { return nil }
            throw error
        }
        // Over NFS, a lock needs a file that is open for writing (flock(2)), so a read-only store may do without.
        if pictor_try_lock(lock.raw) != 0, access == .readWrite || errno == EWOULDBLOCK {
            throw .last("flock")
        }
        return lock
    }

    static func identities(_ path: String, _ parts: [(String, OwnedDescriptor?)]) -> [PathIdentity] {
        parts.compactMap { name, part in part.flatMap { PathIdentity("\(path)/\(name)", of: $0.raw) } }
    }

    static func makeFolders(_ path: String) throws(SystemError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        let parts = path.split(separator: "/")
        for (index, part) in parts.enumerated() {
            prefix += part + "/"
            let isOurs = index == parts.count - 1
            guard mkdir(prefix, isOurs ? FilePath.folderMode : 0o750) != 0, errno != EEXIST else { continue }
            let error = SystemError.last("mkdir \(prefix)")
            // An existing folder may be on a read-only file system.
            if faccessat(AT_FDCWD, prefix, F_OK, 0) != 0 { throw error }
        }
    }

    /// Removes group's and others' rights from existing files of the cache. Files of another user are left alone, and so is a
    /// folder that contains more than a cache (`cache.directory: /tmp`), though not the cache's files in it. No file is opened
    /// for this, because closing it would release SQLite's locks on it (fcntl(2)).
    static func makePrivate(_ root: Int32) {
        let files = indexSuffixes.map { "index.sqlite" + $0 } + ["lock"]
        let own = files + folders + LastingFile.Name.allCases.flatMap(\.names)
        for name in own { removeRightsOfOthers(root, name) }
        let isCacheAlone = Directory.names(in: root, ".").allSatisfy { name in
            own.contains(name) || name.hasPrefix("index.sqlite.damaged")
        }
        if isCacheAlone { removeRightsOfOthers(root, ".") }
    }

    /// Removes the rights of group and others; the owner's rights stay.
    private static func removeRightsOfOthers(_ parent: Int32, _ name: String) {
        var status = stat()
        guard fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & 0o077 != 0,
            status.st_mode & S_IFMT != S_IFLNK
        else { return }
        fchmodat(parent, name, status.st_mode & 0o700, AT_SYMLINK_NOFOLLOW)
    }

    static func makeFolder(_ parent: Int32, _ name: String) throws(SystemError) {
        if mkdirat(parent, name, FilePath.folderMode) != 0, errno != EEXIST { throw .last("mkdir \(name)") }
    }

    static func mustBeWritable(_ parent: Int32, _ name: String) throws(SystemError) {
        if faccessat(parent, name, W_OK, AT_EACCESS) != 0 { throw .last("access \(name)") }
    }

    /// Opens the folder, even through a symbolic link.
    static func openFolder(_ path: String) throws(SystemError) -> OwnedDescriptor {
        let descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(path)") }
        return OwnedDescriptor(adopting: descriptor)
    }
}
