// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The owner of a cache's folder: the user that systemd has given to the service. What root makes in the folder is given
/// to that user, who could not write it otherwise.
package struct FolderOwner: Sendable {
    private let folder: String
    private let user: uid_t
    private let group: gid_t

    /// Nil where there is nothing to give: this is not root, or root owns the folder.
    package init?(_ folder: String) {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        (self.folder, user, group) = (folder, status.st_uid, status.st_gid)
    }

    /// Gives root's files in the folder, and in folders of root's in it, to the owner.
    package func giveBack() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { giveBack(in: descriptor) }
    }

    /// Closes the descriptor. Each file is held while it is looked at and given away: the owner, who may have been taken
    /// over, could put another in its place, or a second name of a file of root's elsewhere.
    private func giveBack(in descriptor: Int32) {
        guard let list = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(list) }
        while let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            let file = pictor_hold(dirfd(list), name)
            guard file >= 0 else { continue }
            defer { close(file) }
            var status = stat()
            guard fstat(file, &status) == 0, status.st_uid == 0 else { continue }
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard isFolder || status.st_mode & S_IFMT == S_IFREG && status.st_nlink == 1 else { continue }
            if isFolder {
                // While it is still root's alone.
                let inner = openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                if inner >= 0 { giveBack(in: inner) }
            }
            _ = pictor_give(file, user, group)
        }
    }
}
