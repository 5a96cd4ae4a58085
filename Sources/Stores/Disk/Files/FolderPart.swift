// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel

/// Opens the parts of the cache's folder. A part may be a symbolic link that belongs to root or to the user of this process; links
/// of other users are refused. Commands that root runs open the folder, too: an attacker with the daemon's rights could otherwise
/// replace `incoming` by a link to any folder, which such a command would then empty.
enum FolderPart {
    /// The most bytes of a path, including the final zero (path_resolution(7)).
    private static let longest = 4_096

    /// Opens a part. A link is first held and then followed, because the daemon's user may replace it at any moment.
    static func open(_ root: Int32, _ name: String, _ flags: Int32) throws(SystemError) -> OwnedDescriptor {
        var raw = openat(root, name, flags | O_NOFOLLOW | O_CLOEXEC, FilePath.fileMode)
        if raw < 0, errno == ELOOP || errno == ENOTDIR {
            raw = openat(root, try target(root, name), flags | O_CLOEXEC, FilePath.fileMode)
        }
        guard raw >= 0 else { throw .last("open \(name)") }
        return OwnedDescriptor(adopting: raw)
    }

    /// Refuses links in the place of files that SQLite opens by their paths.
    static func refuseLinks(_ root: Int32, _ names: [String]) throws(SystemError) {
        for name in names {
            var status = stat()
            if fstatat(root, name, &status, AT_SYMLINK_NOFOLLOW) == 0 { try refuse(status, name) }
        }
    }

    /// The path of a file for SQLite, with all links resolved: those above the folder, and a permitted one in the place of the file.
    /// If a link is put there afterwards, SQLite does not follow it (`Database`).
    static func resolvedPath(_ root: Int32, _ folder: String, _ name: String) throws(SystemError) -> String {
        let folder = try resolved(folder)
        var status = stat()
        guard fstatat(root, name, &status, AT_SYMLINK_NOFOLLOW) == 0, status.st_mode & S_IFMT == S_IFLNK
        else { return "\(folder)/\(name)" }
        let link = try target(root, name).withUnsafeBytes {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        let whole = link.hasPrefix("/") ? link : "\(folder)/\(link)"
        // The file may not exist yet.
        let end = whole.lastIndex(of: "/") ?? whole.startIndex
        return try resolved(String(whole[...end])) + whole[end...]
    }

    /// The path with links resolved (realpath(3)).
    private static func resolved(_ path: String) throws(SystemError) -> String {
        guard let text = realpath(path, nil) else { throw .last("realpath \(path)") }
        defer { free(text) }
        return String(cString: text)
    }

    /// The target of a link that may be followed.
    private static func target(_ root: Int32, _ name: String) throws(SystemError) -> [CChar] {
        let raw = pictor_hold(root, name)
        guard raw >= 0 else { throw .last("open \(name)") }
        let link = OwnedDescriptor(adopting: raw)
        var status = stat()
        guard fstat(link.raw, &status) == 0 else { throw .last("fstat \(name)") }
        guard status.st_mode & S_IFMT == S_IFLNK else { throw SystemError("open \(name)", code: ENOTDIR) }
        try refuse(status, name)
        // Cannot trap: the count is a constant.
        var path = [CChar](repeating: 0, count: longest)
        guard readlinkat(link.raw, "", &path, longest - 1) >= 0 else { throw .last("readlink \(name)") }
        return path
    }

    private static func refuse(_ status: stat, _ name: String) throws(SystemError) {
        guard status.st_mode & S_IFMT == S_IFLNK, ![0, geteuid()].contains(status.st_uid) else { return }
        throw SystemError("open \(name): it is another user's symbolic link", code: ELOOP)
    }
}
