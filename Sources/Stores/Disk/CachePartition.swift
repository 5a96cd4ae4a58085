// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Hashing
internal import Kernel
internal import Synchronization

/// One folder of bodies, with a table of the files in it.
///
/// A file is placed, entered in the table, removed from it and unlinked under the lock of its name, so that a
/// late removal never deletes a file that was kept again since. Lookups take no such lock.
///
/// **Isolation:** `table` and `turns` guard themselves; `used` is atomic. Order of locks: a turn, then the
/// table.
final class CachePartition: Sendable {
    enum Opening {
        case open(OwnedDescriptor)
        /// The file does not exist.
        case absent
        case damaged
        /// Out of descriptors or memory, or forbidden, which does not concern the file itself.
        case failed
    }

    let kind: Footer.Kind
    /// Bytes that the files may occupy.
    let budget: Int
    let table = EntryTable<FileEntry>()
    private let directory: OwnedDescriptor
    private let folder: CacheFolder
    private let losses: FileLosses
    private let turns = Shards<Void>(count: 64) { _ in () }
    private let used = Atomic<Int>(0)
    /// Of the largest file that found no room since the evictor looked.
    private let wanted = Atomic<Int>(0)

    init(_ kind: Footer.Kind, in folder: CacheFolder, budget: Int, losses: FileLosses) {
        self.kind = kind
        self.folder = folder
        self.losses = losses
        self.budget = budget
        directory = kind == .original ? folder.originals : folder.renditions
    }

    /// Bytes that the files occupy, and what names count that share one or have a long row.
    var bytes: Int { used.load(ordering: .relaxed) }

    /// Whether a file of so many bytes would fit now.
    func hasRoom(for size: Int) -> Bool { bytes + size <= budget }

    /// Has room made for a file of so many bytes, so that the next such file finds it. No file has the evictor empty more than
    /// half of the folder.
    ///
    /// - Returns: false if it is larger than that.
    func want(_ size: Int) -> Bool {
        guard size <= budget / 2 else { return false }
        wanted.max(size, ordering: .relaxed)
        return true
    }

    /// Bytes to make room for; asked once.
    func takeWanted() -> Int { wanted.exchange(0, ordering: .relaxed) }

    // MARK: The table.

    /// Runs `body` under the name's lock, which lasts for a system call; for threads that may block.
    func withTurn<Result: Sendable>(_ name: Digest, _ body: () -> Result) -> Result {
        turns.withLock(hash: name.words.1) { _ in body() }
    }

    /// Enters a file in the table; in its turn, or at start. With `sharing`, one more name refers to it.
    func hold(_ entry: FileEntry, sharing: Bool) {
        let growth = table.update(entry.key) { held in
            let before = held
            held = entry
            guard let before else { return entry.size }
            if sharing { held?.references = before.references + 1 }
            return entry.size - before.size + (sharing ? NameEntry.sharingSize : 0)
        }
        used.add(growth, ordering: .relaxed)
    }

    /// Enters many files at start; a repeated file is one file with several references.
    func hold(_ batch: ContiguousArray<FileEntry>) {
        var growth = batch.reduce(0) { $0 + $1.size }
        table.insert(batch) { held, new in
            growth += NameEntry.sharingSize - new.size
            var held = held
            held.references += 1
            return held
        }
        used.add(growth, ordering: .relaxed)
    }

    /// Removes one reference to the file; the last one removes the file from the table.
    func release(_ name: Digest) {
        let freed = table.update(name) { held in
            guard let entry = held else { return 0 }
            if entry.references > 1 {
                held?.references -= 1
                return NameEntry.sharingSize
            }
            held = nil
            return entry.size
        }
        used.subtract(freed, ordering: .relaxed)
    }

    /// Counts bytes beside those of the files, or gives them back if negative.
    func charge(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    // MARK: The files.

    /// Places a body with its footer, replacing an older file, and enters it in the table. Must be called in
    /// its turn.
    func keep(_ entry: FileEntry, _ body: Body, _ footer: Footer) throws(SystemError) {
        let written = try place(body, footer, as: entry.key)
        var entry = entry
        // Once the file has a name, other processes can write to it.
        if let file = try? open(entry.key), file.state?.hasContents(of: written) == true {
            entry.verified = file.stamp
        }
        hold(entry, sharing: kind == .original)
    }

    /// - Returns: the file's state after it was written, before it had its name.
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

    /// Opens a file for reading, without a check. Failed reads of it are reported to `FileLosses`.
    /// - Parameter known: the state with which the file is compared later; nil for its present state.
    func open(_ name: Digest, as known: FileState? = nil) throws(SystemError) -> OwnedDescriptor {
        let file = openat(directory.raw, FilePath(name).relative, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw .last("open") }
        return try adopt(file, name, as: known)
    }

    private func adopt(_ file: Int32, _ name: Digest, as known: FileState?) throws(SystemError)
        -> OwnedDescriptor
    {
        guard let state = FileState(file) else {
            let error = SystemError.last("fstat")
            close(file)
            throw error
        }
        let owner = folder.adopt(file, in: known ?? state) { [losses, kind] file, error in
            losses.report(FileLosses.Loss(kind: kind, name: name, stamp: file.stamp, error: error))
        }
        return try owner.forRequest()
    }

    /// Opens a file of the table and checks it: length and footer each time, the checksum the first time,
    /// after any change of the file, and if `anew` is true.
    func openChecked(_ entry: FileEntry, anew: Bool = false) -> Opening {
        let file: OwnedDescriptor
        do throws(SystemError) { file = try open(entry.key) } catch {
            switch error.code {
            // A file evicted just now is not missing.
            case ENOENT: return table[entry.key] == nil ? .failed : .absent
            case ELOOP: return .damaged
            default: return .failed
            }
        }
        guard let footer = FileIO.footer(file.raw, length: entry.length), footer.kind == kind,
            footer.length == entry.length
        else { return .damaged }
        // Taken before the bytes are read, so that a change meanwhile shows.
        let stamp = file.stamp
        if anew || entry.verified != stamp {
            // Reading the whole cache for its own sake must not displace clients' files from the page cache.
            if anew { posix_fadvise(file.raw, 0, 0, POSIX_FADV_NOREUSE) }
            guard isWhole(file.raw, footer, entry.key) else { return .damaged }
            table.update(entry.key) { $0?.verified = stamp }
        }
        return .open(file)
    }

    /// Opens a file of the table and checks it as `openChecked` does, without waiting for the disk. Nil if that cannot be:
    /// the kernel does not have all of it in memory, it is long, or it is not what it should be. Verified or not, all of
    /// it is read: a body up to `copying` bytes is that copy, and of a longer one the file is read next, on this thread.
    func openCached(_ entry: FileEntry, copying: Int) -> Body? {
        guard entry.length <= Self.longestReadAtOnce else { return nil }
        // As its own bytes: a String that is passed as it is would be copied.
        let raw = FilePath(entry.key).relative.withCString { pictor_open_cached(directory.raw, $0) }
        guard raw >= 0, let file = try? adopt(raw, entry.key, as: nil) else { return nil }
        // Taken before the bytes are read, so that a change meanwhile shows.
        let stamp = file.stamp
        let isVerified = entry.verified == stamp
        let bytes = FileIO.cachedBody(of: raw, length: entry.length) { (footer, body) in
            footer.kind == kind && footer.length == entry.length
                && (isVerified || checksum(footer, body, entry.key) == footer.checksum)
        }
        guard let bytes else { return nil }
        if !isVerified { table.update(entry.key) { $0?.verified = stamp } }
        guard entry.length <= copying else { return .file(file, length: entry.length) }
        return isVerified && file.isAltered ? nil : .bytes(bytes)
    }

    /// Bytes that are read and hashed while others wait: 30 to 40 µs.
    static let longestReadAtOnce = 64 << 10

    private func checksum(_ footer: Footer, _ body: UnsafeRawBufferPointer, _ name: Digest) -> Digest {
        var hash = SHA256()
        if kind == .rendition {
            name.bytes.withUnsafeBytes { hash.update($0) }
            footer.head.withUnsafeBytes { hash.update($0) }
        }
        hash.update(body)
        return hash.finish()
    }

    /// True if the file is in the state in which its checksum was verified or written.
    func isVerified(_ file: OwnedDescriptor, as name: Digest) -> Bool {
        table[name].map { $0.verified == file.stamp && $0.verified != 0 } ?? false
    }

    /// True if the checksum of the whole body is right.
    func isWhole(_ file: Int32, _ footer: Footer, _ name: Digest) -> Bool {
        switch kind {
        case .original: footer.checksum == name && FileIO.digest(file, length: footer.length) == name
        case .rendition:
            FileIO.digest(file, length: footer.length, prefix: name.bytes + footer.head) == footer.checksum
        }
    }

    enum Removal: Sendable { case removed, held, absent, failed }

    /// Removes the file, unless it is in the table (again).
    func unlinkUnlessHeld(_ name: Digest) -> Removal {
        withTurn(name) {
            if table[name] != nil { return .held }
            if unlinkat(directory.raw, FilePath(name).relative, 0) == 0 { return .removed }
            return errno == ENOENT ? .absent : .failed
        }
    }

    /// Removes a folder that does not belong here, with the files in it.
    func removeFolder(_ path: String) {
        for name in names(in: path) { unlinkat(directory.raw, "\(path)/\(name)", 0) }
        unlinkat(directory.raw, path, AT_REMOVEDIR)
    }

    /// True if the file exists with the size of its entry.
    func matches(_ entry: FileEntry) -> Bool {
        var status = stat()
        let code = fstatat(directory.raw, FilePath(entry.key).relative, &status, AT_SYMLINK_NOFOLLOW)
        return code == 0 && Int(status.st_size) == entry.length + Footer.size
    }

    func names(in subfolder: String) -> [String] { Directory.names(in: directory.raw, subfolder) }

    // MARK: Linking.

    /// Gives the file its footer and its name.
    /// - Returns: its state before it had the name. Nil if the file cannot be linked here and must be copied,
    ///   because it is in memory, on another file system, or has a name already.
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
        // A crash left this file without a row; a rename replaces it atomically.
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

    /// Makes a folder that was made at start, but removed since.
    private func makeFolder(_ path: FilePath) throws(SystemError) {
        if mkdirat(directory.raw, path.folder, FilePath.folderMode) != 0, errno != EEXIST {
            throw .last("mkdir \(path.folder)")
        }
    }
}

extension OwnedDescriptor {
    /// The stamp of a file that a partition has opened; 0 for any other.
    fileprivate var stamp: UInt32 { state?.stamp ?? 0 }
}
