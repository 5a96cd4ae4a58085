// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// One folder of bodies, with a table of the files in it. `CachePartition+Writing.swift` places files,
/// `CachePartition+Reading.swift` opens and checks them.
///
/// A file is placed, entered in the table, removed from it and unlinked under the lock of its name. So a late removal never
/// deletes a file that was kept again since. Lookups take no such lock.
///
/// **Isolation:** `table` and `turns` guard themselves; `used` is atomic. Order of locks: a turn, then the
/// table.
final class CachePartition: Sendable {
    let kind: Footer.Kind
    /// Bytes that the files may occupy.
    let budget: Int
    let table = EntryTable<FileEntry>()
    /// The folder of this partition's files.
    let directory: OwnedDescriptor
    /// The folder of the whole cache.
    let folder: CacheFolder
    let losses: FileLosses
    private let turns = Shards<Void>(count: 64) { _ in () }
    private let used = Atomic<Int>(0)
    /// The size of the largest file that found no room since the evictor looked.
    private let wanted = Atomic<Int>(0)

    init(_ kind: Footer.Kind, in folder: CacheFolder, budget: Int, losses: FileLosses) {
        self.kind = kind
        self.folder = folder
        self.losses = losses
        self.budget = budget
        directory = kind == .original ? folder.originals : folder.renditions
    }

    /// Bytes that the files occupy, and those charged for URLs that share a file or have a long row (`NameEntry`).
    var bytes: Int { used.load(ordering: .relaxed) }

    /// Whether a file of so many bytes would fit now.
    func hasRoom(for size: Int) -> Bool { bytes + size <= budget }

    /// Asks the evictor for room for a file of so many bytes, so that the next such file finds it. For one file, the evictor
    /// empties at most half of the folder.
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

    /// Notes the row of a file that has just been entered, unless it is removed since. Must be called in its turn.
    /// - Parameter note: queues the row, before another change of the file can; must not wait.
    func noteRow(of name: Digest, _ note: () -> Void) {
        table.update(name) { if $0 != nil { note() } }
    }

    /// Removes one reference to the file; the last one removes the file from the table.
    /// - Parameters:
    ///   - length: bytes that it must have; nil for any.
    ///   - note: queues the change, before another one of the file can; must not wait.
    /// - Returns: false if it is not in the table, or has another length.
    @discardableResult
    func release(_ name: Digest, ofLength length: Int? = nil, note: () -> Void = {}) -> Bool {
        let freed = table.update(name) { held -> Int? in
            guard let entry = held, length == nil || entry.length == length else { return nil }
            note()
            if entry.references > 1 {
                held?.references -= 1
                return NameEntry.sharingSize
            }
            held = nil
            return entry.size
        }
        guard let freed else { return false }
        used.subtract(freed, ordering: .relaxed)
        return true
    }

    /// Counts bytes beside those of the files, or gives them back if negative.
    func charge(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    // MARK: The folder.

    /// The result of removing a file.
    enum Removal: Sendable { case removed, held, absent, failed }

    /// Removes the file, unless it is in the table (again).
    func unlinkUnlessHeld(_ name: Digest) -> Removal {
        withTurn(name) {
            if table[name] != nil { return .held }
            if FilePath(name).withCString({ unlinkat(directory.raw, $0, 0) }) == 0 { return .removed }
            return errno == ENOENT ? .absent : .failed
        }
    }

    /// Removes a folder that does not belong here, with the files in it. No link is followed, whenever one is put in the place of
    /// either folder.
    func removeFolder(_ name: String, in subfolder: String) {
        guard let outer = Directory.open(directory.raw, subfolder),
            let inner = Directory.open(outer.raw, name)
        else { return }
        for file in Directory.names(in: inner.raw, ".") { unlinkat(inner.raw, file, 0) }
        unlinkat(outer.raw, name, AT_REMOVEDIR)
    }

    /// False if the file certainly does not exist with the size of its entry: a disk that fails proves nothing.
    func matches(_ entry: FileEntry) -> Bool {
        var status = stat()
        let code = FilePath(entry.key).withCString { path in
            fstatat(directory.raw, path, &status, AT_SYMLINK_NOFOLLOW)
        }
        guard code == 0 else { return errno != ENOENT && errno != ENOTDIR }
        return Int(status.st_size) == entry.length + Footer.size
    }

    func names(in subfolder: String) -> [String] { Directory.names(in: directory.raw, subfolder) }
}
