// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Identifies a file by its device and inode number, so a file in another folder, or a new file in the old one's place, has
/// another identity. Writing to a file does not change its identity.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// The file of this name; a symbolic link is not followed. Nil if there is no such file.
    package init?(at path: String) { self.init(in: AT_FDCWD, path) }

    /// The file of this name in a folder.
    init?(in folder: Int32, _ name: String) {
        var status = stat()
        guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        self.init(status)
    }

    /// An open file; nil if fstat(2) fails.
    package init?(of file: OwnedDescriptor) {
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        // Cannot trap: st_dev and st_ino are unsigned.
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
