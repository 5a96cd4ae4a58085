// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Finds out whether the disk of a cache reads, when a part of the index could not be read.
enum ReadTrial {
    /// The most files of the cache that are tried.
    private static let most = 16

    /// Reads files of the cache until one can be read. Writes only if there are none, because the disk may be full. Blocks.
    /// - Parameter folder: the cache's folder; its parts must be there.
    static func succeeds(in folder: String) -> Bool {
        let files = someFiles(in: folder)
        return files.isEmpty ? readsNewFile(in: folder) : files.contains(where: reads)
    }

    /// Paths of some files of the cache.
    private static func someFiles(in folder: String) -> [String] {
        var files: [String] = []
        for kind in ["originals", "renditions"] {
            for part in FilePath.folders {
                let path = "\(folder)/\(kind)/\(part)"
                let names = Directory.names(in: AT_FDCWD, path)
                // Cannot trap: there are fewer than `most` so far.
                files += names.prefix(most - files.count).map { "\(path)/\($0)" }
                if files.count >= most { return files }
            }
        }
        return files
    }

    /// True if the beginning of a file can be read.
    private static func reads(_ path: String) -> Bool {
        // Nothing in the cache's folders is a pipe unless somebody else has put it there; opening one must not wait for a writer.
        let raw = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard raw >= 0 else { return false }
        let file = OwnedDescriptor(adopting: raw)
        return !read(file).isEmpty
    }

    /// Writes a block to a new file among those on their way, and reads it back.
    private static func readsNewFile(in folder: String) -> Bool {
        let path = "\(folder)/incoming/read-trial"
        let raw = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FilePath.fileMode)
        guard raw >= 0 else { return false }
        let file = OwnedDescriptor(adopting: raw)
        defer { unlink(path) }
        // Cannot trap, nor below: the count is a constant.
        let written = [UInt8](repeating: 0x5A, count: 4_096)
        guard (try? FileIO.write(written, to: file.raw, at: 0)) != nil else { return false }
        return read(file) == written
    }

    /// The first block of a file, which the kernel drops from memory before; empty if the disk fails.
    private static func read(_ file: OwnedDescriptor) -> [UInt8] {
        // Only what is on the disk can be dropped.
        guard fdatasync(file.raw) == 0 else { return [] }
        posix_fadvise(file.raw, 0, 0, POSIX_FADV_DONTNEED)
        // Cannot trap: as above.
        var read = [UInt8](repeating: 0, count: 4_096)
        let count = pread(file.raw, &read, read.count, 0)
        return Array(read.prefix(max(count, 0)))
    }
}
