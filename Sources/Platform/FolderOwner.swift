// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc

/// The owner of a cache's folder: the user to whom systemd has given the folder for the service. A command that runs as root
/// gives the files that it made in the folder to this user, who could not write them otherwise.
package struct FolderOwner: Sendable {
    private let folder: String
    private let user: uid_t
    private let group: gid_t

    /// Nil if there is nothing to give back, because this process does not run as root, or root owns the folder.
    package init?(_ folder: String) {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        (self.folder, user, group) = (folder, status.st_uid, status.st_gid)
    }

    /// Gives files and folders that belong to root, within the folder, to the folder's owner. Does not enter folders of other
    /// users.
    package func giveBack() {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 { giveBack(in: descriptor) }
    }

    /// Closes the descriptor at the end. Each file is checked and given away through one descriptor, because an attacker with the
    /// owner's rights could replace the name in between. A file with a second name is skipped: it may be a hard link to root's
    /// file elsewhere.
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
                // The subfolder is entered while only root can change it.
                let inner = openat(file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                if inner >= 0 { giveBack(in: inner) }
            }
            _ = pictor_give(file, user, group)
        }
    }
}
