// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Opens and replaces small files that outlive a crash, such as the record of purges. Each call blocks on the disk.
package enum LastingFile {
    /// The suffix of a new file's name until the file is renamed to its final name.
    static let suffix = ".new"

    /// Opens the file without waiting for the other end of a named pipe. Nil if there is no such file; throws if the path is a
    /// symbolic link.
    package static func open(_ path: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor? {
        let file = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .last("open") }
        return OwnedDescriptor(adopting: file)
    }

    /// The size in bytes of a regular file; throws for any other kind of file.
    package static func size(of file: OwnedDescriptor) throws(SystemError) -> Int {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("open: it is no regular file", code: EINVAL)
        }
        return Int(status.st_size)
    }

    /// Writes a new file and renames it over the old one, if there is one: after a crash the disk has the old file or the new
    /// one, never a part. The folder is opened once, so every step works in the folder to which the path leads at first.
    /// - Parameters:
    ///   - known: the identity of the file that is replaced, nil for none; afterwards the identity of the new file.
    ///   - flush: fdatasync(2), or a test's replacement.
    /// - Throws: ESTALE if the path names a file other than `known`, besides the errors of the system calls.
    package static func replace(
        _ path: String, with bytes: [UInt8], over known: inout FileIdentity?, flush: (Int32) -> Int32
    ) throws(SystemError) {
        let end = path.lastIndex(of: "/")
        let name = end.map { String(path[path.index(after: $0)...]) } ?? path
        let folder = try openFolder(end.map { String(path[..<$0]) } ?? ".")
        if let there = FileIdentity(in: folder.raw, name), there != known {
            throw SystemError("another folder's file is in the place of ours", code: ESTALE)
        }
        let next = name + suffix
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let raw = openat(folder.raw, next, flags, 0o600)
        guard raw >= 0 else { throw .last("open") }
        let file = OwnedDescriptor(adopting: raw)
        try append(bytes, to: file)
        guard flush(file.raw) == 0 else { throw .last("fdatasync") }
        guard renameat(folder.raw, next, folder.raw, name) == 0 else { throw .last("rename") }
        known = FileIdentity(of: file)
        guard fsync(folder.raw) == 0 else { throw .last("fsync") }
    }

    /// Follows a symbolic link: systemd makes `CacheDirectory=` one where the unit has `DynamicUser=`.
    private static func openFolder(_ path: String) throws(SystemError) -> OwnedDescriptor {
        let raw = Glibc.open(path.isEmpty ? "/" : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw .last("open") }
        return OwnedDescriptor(adopting: raw)
    }

    /// Writes all the bytes at the file's position, or at its end if the file is open with O_APPEND.
    static func append(_ bytes: [UInt8], to file: OwnedDescriptor) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file.raw, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .last("write") }
            rest = rest.dropFirst(count)
        }
    }
}
