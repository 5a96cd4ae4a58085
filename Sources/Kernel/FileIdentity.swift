// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which file it is: one in another folder, or one that was put in its place, has another identity. It stays the same while the
/// file is written to.
package struct FileIdentity: Sendable, Hashable {
    private let device: UInt64
    private let number: UInt64

    /// The file of this name, and not the one that a symbolic link leads to; nil if there is none.
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
        // Cannot trap: neither has a sign.
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
