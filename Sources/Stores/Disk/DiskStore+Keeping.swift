// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Kernel

/// Files of both partitions enter the cache here.
extension DiskStore {
    /// False if a file cannot be taken now, for a reason that is counted here.
    private func takes(_ entry: FileEntry, _ body: Body, on partition: CachePartition) -> Bool {
        guard partition.hasRoom(for: entry.size), !queue.isFull else {
            if !isReadOnly, partition.want(entry.size) { queue.nudge() }
            counters.add(counters.skipped)
            return false
        }
        guard !isReadOnly else {
            counters.add(counters.writeErrors)
            return false
        }
        if let space = folder.space, !space.takesNew {
            counters.filesWritten(space.obstacle)
            return false
        }
        guard body.length == entry.length else {
            counters.filesWritten(SystemError("the body is not as long as was said", code: EINVAL))
            return false
        }
        return true
    }

    /// Places a file and enters it in the table; false if there is no room, or the write fails.
    ///
    /// `after` runs under the file's lock, once the file is in the table.
    func keep(
        _ entry: FileEntry, _ body: Body, _ footer: Footer, on partition: CachePartition, after: () -> Void
    ) -> Bool {
        guard takes(entry, body, on: partition) else { return false }
        let (isKept, isReplaced) = partition.withTurn(entry.key) { () -> (Bool, Bool) in
            let wasHeld = partition.table[entry.key] != nil
            do throws(SystemError) {
                try partition.keep(entry, body, footer)
            } catch {
                counters.filesWritten(error)
                // The file system may still report free space, which may be reserved or beyond a quota.
                if [ENOSPC, EDQUOT].contains(error.code) {
                    catalogue.noteRefused(entry.size)
                    queue.nudge()
                }
                return (false, false)
            }
            counters.filesWritten(nil)
            catalogue.noteTaken()
            after()
            return (true, wasHeld)
        }
        // The file that had the name before has lost it, and may be open.
        if isReplaced { released(ReleasedFiles(partition.kind, [entry.key])) }
        return isKept
    }

    /// The body to use once it is kept. Its file is opened again, read-only, so that a decoder that gets the descriptor cannot
    /// change the cache.
    func settled(_ body: Body, as name: Digest, on partition: CachePartition) -> Body {
        guard case .file(_, let length) = body, let file = try? partition.open(name) else { return body }
        // Holders of the file rely on the verified state, see `OwnedDescriptor.isUnchanged`.
        if partition.isVerified(file, as: name) { return .file(file, length: length) }
        // Another process has already written to the file, and so to `body`, which is the same file.
        guard let altered = try? partition.open(name, as: FileState.none) else { return body }
        return .file(altered, length: length)
    }
}
