// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// The cache's folder, held open and locked: `originals`, `renditions`, `incoming`, `index.sqlite`, `lock`.
///
/// **Isolation:** immutable but for an atomic count.
final class CacheFolder: Sendable {
    let path: String
    let originals: OwnedDescriptor
    let renditions: OwnedDescriptor
    /// Named files on their way to their place; emptied at start.
    let incoming: OwnedDescriptor
    private let root: OwnedDescriptor
    private let lock: OwnedDescriptor
    private let usesUnnamedFiles: Bool
    private let reserve: Int
    private let counter = Atomic<Int>(0)

    var indexPath: String { path + "/index.sqlite" }

    init(_ configuration: DiskConfiguration) throws(DiskStoreError) {
        path = configuration.folder
        usesUnnamedFiles = configuration.usesUnnamedFiles
        reserve = configuration.reserve
        do throws(SystemError) {
            try Self.makeFolders(path)
            root = try Self.openFolder(AT_FDCWD, path)
            let lock = openat(root.raw, "lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o640)
            guard lock >= 0 else { throw .last("open lock") }
            self.lock = OwnedDescriptor(adopting: lock)
            guard pictor_try_lock(lock) == 0 else { throw .last("flock") }
            originals = try Self.makeFolder(root.raw, "originals")
            renditions = try Self.makeFolder(root.raw, "renditions")
            incoming = try Self.makeFolder(root.raw, "incoming")
        } catch {
            throw error.call == "flock" && error.code == EWOULDBLOCK
                ? .inUse(folder: path) : .folder(path, error)
        }
        for name in Directory.names(in: incoming.raw, ".") { unlinkat(incoming.raw, name, 0) }
    }

    /// Bytes of the index and its log.
    var indexBytes: Int {
        ["index.sqlite", "index.sqlite-wal"].reduce(0) { sum, name in
            var status = stat()
            return sum + (fstatat(root.raw, name, &status, 0) == 0 ? Int(status.st_size) : 0)
        }
    }

    /// An empty file without a name, open for reading and writing, that vanishes unless it is kept.
    ///
    /// On the cache's file system where that can be written, so that keeping it is one link; otherwise in memory, so
    /// that a full or read-only disk costs the keeping and not the answer.
    func makeFile() throws(SystemError) -> OwnedDescriptor {
        if hasRoom, let file = makeUnnamed() ?? makeNamedAndForget() { return file }
        return try MemoryFile.empty()
    }

    /// A file in `incoming`, for what has to be copied into the cache.
    func makeIncoming() throws(SystemError) -> (file: OwnedDescriptor, name: String) {
        let name = String(counter.add(1, ordering: .relaxed).newValue)
        let file = openat(incoming.raw, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o640)
        guard file >= 0 else { throw .last("open incoming") }
        return (OwnedDescriptor(adopting: file), name)
    }

    /// A name in `incoming` for a link.
    func makeIncomingName() -> String { String(counter.add(1, ordering: .relaxed).newValue) }

    /// Lets another store open the folder.
    func unlock() { pictor_unlock(lock.raw) }

    var hasRoom: Bool {
        var status = statvfs()
        guard fstatvfs(root.raw, &status) == 0 else { return false }
        return Int(status.f_bavail) * Int(status.f_frsize) >= reserve
    }

    /// Nil where the file system has no O_TMPFILE (overlayfs before Linux 6.1, some network file systems).
    private func makeUnnamed() -> OwnedDescriptor? {
        guard usesUnnamedFiles else { return nil }
        let file = pictor_open_unnamed(root.raw)
        return file >= 0 ? OwnedDescriptor(adopting: file) : nil
    }

    private func makeNamedAndForget() -> OwnedDescriptor? {
        guard let made = try? makeIncoming() else { return nil }
        unlinkat(incoming.raw, made.name, 0)
        return made.file
    }

    private static func makeFolders(_ path: String) throws(SystemError) {
        var prefix = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            prefix += part + "/"
            if mkdir(prefix, 0o750) != 0, errno != EEXIST { throw .last("mkdir \(prefix)") }
        }
    }

    private static func makeFolder(_ parent: Int32, _ name: String) throws(SystemError) -> OwnedDescriptor {
        if mkdirat(parent, name, 0o750) != 0, errno != EEXIST { throw .last("mkdir \(name)") }
        return try openFolder(parent, name)
    }

    private static func openFolder(_ parent: Int32, _ name: String) throws(SystemError) -> OwnedDescriptor {
        let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .last("open \(name)") }
        return OwnedDescriptor(adopting: descriptor)
    }
}

/// Reading a directory.
enum Directory {
    /// The names in a folder, without `.` and `..`; none if it cannot be read.
    static func names(in parent: Int32, _ name: String) -> [String] {
        let descriptor = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
