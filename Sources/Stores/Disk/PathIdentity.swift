// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The file or folder that a path led to once, to find out that it leads elsewhere by now: somebody has deleted the
/// cache's folder, moved it, mounted something over it, or restored its index from elsewhere.
struct PathIdentity: Sendable {
    private let path: String
    private let device: dev_t
    private let number: ino_t

    /// Nil where there is nothing.
    init?(_ path: String) {
        guard let status = Self.status(path) else { return nil }
        (self.path, device, number) = (path, status.st_dev, status.st_ino)
    }

    /// False only when it is certain: who may not look any more knows nothing.
    var holds: Bool {
        guard let status = Self.status(path) else { return errno != ENOENT && errno != ENOTDIR }
        return status.st_dev == device && status.st_ino == number
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }
}
