// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Kernel

extension CachePartition {
    /// Places a body with its footer, replacing an older file, and enters it in the table. Must be called under the file's lock
    /// (`withTurn`).
    func keep(_ entry: FileEntry, _ body: Body, _ footer: Footer) throws(SystemError) {
        let written = try place(body, footer, as: entry.key)
        var entry = entry
        // Once the file has a name, other processes can write to it, so it is compared with the state before.
        if let file = try? open(entry.key), file.state?.hasContents(of: written) == true {
            entry.verified = file.stamp
        }
        hold(entry, sharing: kind == .original)
    }

    /// - Returns: the file's state after it was written, before it got its name.
    private func place(_ body: Body, _ footer: Footer, as name: Digest) throws(SystemError) -> FileState {
        let path = FilePath(name)
        if case .file(let file, let length) = body, let written = try link(file, length, footer, path) {
            file.takeName()
            return written
        }
        let (file, incoming) = try folder.makeIncoming()
        do throws(SystemError) {
            switch body {
            case .bytes(let bytes): try FileIO.write(bytes.buffer, to: file.raw, at: 0)
            case .file(let source, let length): try FileIO.copy(source.raw, to: file.raw, length: length)
            }
            try FileIO.write(footer.bytes, to: file.raw, at: body.length)
            let written = FileState(file.raw) ?? .none
            try rename(incoming, path)
            return written
        } catch {
            unlinkat(folder.incoming.raw, incoming, 0)
            throw error
        }
    }

    /// Gives the file its footer and its name.
    /// - Returns: its state before it got the name. Nil if the file must be copied instead, because it is in memory, on another
    ///   file system, or has a name already.
    private func link(_ file: OwnedDescriptor, _ length: Int, _ footer: Footer, _ path: FilePath)
        throws(SystemError) -> FileState?
    {
        var status = stat()
        var home = stat()
        guard fstat(file.raw, &status) == 0, fstat(directory.raw, &home) == 0 else { throw .last("fstat") }
        guard status.st_nlink == 0, status.st_dev == home.st_dev, Int(status.st_size) == length else {
            return nil
        }
        try FileIO.write(footer.bytes, to: file.raw, at: length)
        let written = FileState(file.raw) ?? .none
        if pictor_link_unnamed(file.raw, directory.raw, path.relative) == 0 { return written }
        if errno == ENOENT {
            try makeFolder(path)
            if pictor_link_unnamed(file.raw, directory.raw, path.relative) == 0 { return written }
        }
        guard errno == EEXIST else { return nil }
        // A crash has left a file of this name without a row; a rename replaces it atomically.
        let incoming = folder.makeIncomingName()
        guard pictor_link_unnamed(file.raw, folder.incoming.raw, incoming) == 0 else { throw .last("linkat") }
        do throws(SystemError) { try rename(incoming, path) } catch {
            unlinkat(folder.incoming.raw, incoming, 0)
            throw error
        }
        return written
    }

    private func rename(_ incoming: String, _ path: FilePath) throws(SystemError) {
        if renameat(folder.incoming.raw, incoming, directory.raw, path.relative) == 0 { return }
        guard errno == ENOENT else { throw .last("rename") }
        try makeFolder(path)
        guard renameat(folder.incoming.raw, incoming, directory.raw, path.relative) == 0 else {
            throw .last("rename")
        }
    }

    /// Makes a folder again that was made at start but removed since.
    private func makeFolder(_ path: FilePath) throws(SystemError) {
        if mkdirat(directory.raw, path.folder, FilePath.folderMode) != 0, errno != EEXIST {
            throw .last("mkdir \(path.folder)")
        }
    }
}
