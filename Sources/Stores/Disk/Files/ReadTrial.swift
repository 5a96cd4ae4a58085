// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// Finds out whether the disk of a cache reads, when a part of the index could not be read.
enum ReadTrial {
    /// Writes a block to a new file among those on their way, has the kernel drop it from memory, and reads it back. Blocks.
    /// - Parameter folder: the cache's folder; its parts must be there.
    static func succeeds(in folder: String) -> Bool {
        let path = "\(folder)/incoming/read-trial"
        let raw = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, FilePath.fileMode)
        guard raw >= 0 else { return false }
        let file = OwnedDescriptor(adopting: raw)
        defer { unlink(path) }
        // Cannot trap, nor below: the count is a constant.
        let written = [UInt8](repeating: 0x5A, count: 4_096)
        guard (try? FileIO.write(written, to: file.raw, at: 0)) != nil, fdatasync(file.raw) == 0 else {
            return false
        }
        posix_fadvise(file.raw, 0, 0, POSIX_FADV_DONTNEED)
        // Cannot trap: as above.
        var read = [UInt8](repeating: 0, count: written.count)
        return pread(file.raw, &read, read.count, 0) == written.count && read == written
    }
}
