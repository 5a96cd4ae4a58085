// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The identity of the file or folder at a path (device and inode), by which a replacement is noticed: the cache's folder was
/// deleted, moved or covered by a mount, or its index was restored from elsewhere.
struct PathIdentity: Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t
    let isFolder: Bool

    /// Nil if the path does not exist.
    init?(_ path: String) {
        guard let status = Self.status(path) else { return nil }
        self.init(path, status)
    }

    /// The identity of what was opened at the path, even if another file or folder has taken its place since. Nil if fstat(2)
    /// fails.
    init?(_ path: String, of descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(path, status)
    }

    private init(_ path: String, _ status: stat) {
        (self.path, device, number) = (path, status.st_dev, status.st_ino)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }

    /// False only if the path certainly leads elsewhere. If the path cannot be read, nothing is proved.
    var holds: Bool {
        guard let status = Self.status(path) else { return errno != ENOENT && errno != ENOTDIR }
        return status.st_dev == device && status.st_ino == number
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
