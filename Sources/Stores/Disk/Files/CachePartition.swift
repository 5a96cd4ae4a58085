// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import CLinux
internal import Glibc
internal import Kernel
internal import Synchronization

/// One folder of bodies with a table of its files. `CachePartition+Writing.swift` places files, `CachePartition+Reading.swift`
/// opens and checks them.
///
/// A file is placed, entered in the table, removed from it and unlinked under the lock of its name. So a late removal never
/// deletes a file that was kept again since. Lookups do not take this lock.
///
/// **Isolation:** `table` and `turns` have locks of their own; `used` is atomic. Order of locks: a turn, then the table.
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
    /// The size of the largest file that found no room since the evictor last looked.
    private let wanted = Atomic<Int>(0)

    init(_ kind: Footer.Kind, in folder: CacheFolder, budget: Int, losses: FileLosses) {
        self.kind = kind
        self.folder = folder
        self.losses = losses
        self.budget = budget
        directory = kind == .original ? folder.originals : folder.renditions
    }

    /// Bytes that the files occupy, including those charged for URLs that share a file or have a long row (`NameEntry`).
    var bytes: Int { used.load(ordering: .relaxed) }

    /// True if a file of so many bytes would fit now.
    func hasRoom(for size: Int) -> Bool { bytes + size <= budget }

    /// Asks the evictor for room for a file of so many bytes, so that the next such file fits. For one file, the evictor empties
    /// at most half of the budget.
    ///
    /// - Returns: false if the file is larger than that.
    func want(_ size: Int) -> Bool {
        guard size <= budget / 2 else { return false }
        wanted.max(size, ordering: .relaxed)
        return true
    }

    /// Takes the number of bytes to make room for, and resets it.
    func takeWanted() -> Int { wanted.exchange(0, ordering: .relaxed) }

    // MARK: The table.

    /// Runs `body` under the name's lock. A turn lasts for a system call, so it is for threads that may block.
    func withTurn<Result: Sendable>(_ name: Digest, _ body: () -> Result) -> Result {
        turns.withLock(hash: name.words.1) { _ in body() }
    }

    /// Enters a file in the table; must be called under the file's lock, or at start. With `sharing`, one more name refers to the
    /// file.
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

    /// Enters many files at start; a repeated file becomes one file with several references.
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

    /// Calls `note` for a file that has just been entered, unless it was removed since. Must be called under the file's lock.
    /// - Parameter note: queues the row, before another change of the file can be queued; must not wait.
    func noteRow(of name: Digest, _ note: () -> Void) {
        table.update(name) { if $0 != nil { note() } }
    }

    /// Removes one reference to the file; the last one removes the file from the table.
    /// - Parameters:
    ///   - length: the length that the file must have; nil for any.
    ///   - note: queues the change, before another change of the file can be queued; must not wait.
    /// - Returns: false if the file is not in the table, or has another length.
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

    /// Counts bytes besides those of the files; a negative number gives them back.
    func charge(_ bytes: Int) { used.add(bytes, ordering: .relaxed) }

    // MARK: The folder.

    /// The result of removing a file.
    enum Removal: Sendable { case removed, held, absent, failed }

    /// Removes the file from the folder, unless it is in the table.
    func unlinkUnlessHeld(_ name: Digest) -> Removal {
        withTurn(name) {
            if table[name] != nil { return .held }
            if FilePath(name).withCString({ unlinkat(directory.raw, $0, 0) }) == 0 { return .removed }
            return errno == ENOENT ? .absent : .failed
        }
    }

    /// Removes a folder that does not belong here, with its files. No link is followed, even if one replaces either folder
    /// meanwhile.
    func removeFolder(_ name: String, in subfolder: String) {
        guard let outer = Directory.open(directory.raw, subfolder),
            let inner = Directory.open(outer.raw, name)
        else { return }
        for file in Directory.names(in: inner.raw, ".") { unlinkat(inner.raw, file, 0) }
        unlinkat(outer.raw, name, AT_REMOVEDIR)
    }

    /// False only if the file certainly does not exist with the size of its entry. If the disk fails, nothing is proved.
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
