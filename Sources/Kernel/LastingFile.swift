// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Opens and replaces small files that outlive a crash, as the record of purges. Each call blocks on the disk.
package enum LastingFile {
    /// Nil if there is no such file. A symbolic link in its place is an error. Does not wait for the other end of a pipe.
    package static func open(_ path: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor? {
        let file = Glibc.open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        if file < 0, errno == ENOENT { return nil }
        guard file >= 0 else { throw .last("open") }
        return OwnedDescriptor(adopting: file)
    }

    /// Opens an empty file that `putInPlace` gives another name.
    package static func make(_ path: String) throws(SystemError) -> OwnedDescriptor {
        guard let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC) else {
            throw SystemError("open", code: ENOENT)
        }
        return file
    }

    /// Bytes of a regular file.
    package static func size(of file: OwnedDescriptor) throws(SystemError) -> Int {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw .last("fstat") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError("open: it is no regular file", code: EINVAL)
        }
        return Int(status.st_size)
    }

    /// Puts a file whose bytes are on disk in the place of another in the same folder, or of none: afterwards the disk has one
    /// or the other, whole.
    package static func putInPlace(_ new: String, of path: String) throws(SystemError) {
        guard rename(new, path) == 0 else { throw .last("rename") }
        let name = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        // A symbolic link may lead to the folder: systemd's `CacheDirectory=` is one where the unit has `DynamicUser=`.
        let raw = Glibc.open(name.isEmpty ? "/" : name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard raw >= 0 else { throw .last("open") }
        let folder = OwnedDescriptor(adopting: raw)
        guard fsync(folder.raw) == 0 else { throw .last("fsync") }
    }
}
