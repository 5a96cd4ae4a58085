// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What changes with every change to a file (fstat(2)): its size, its names, and the times of its last changes. Nobody can
/// set ctime; mtime is there for file systems whose ctime is something else (FAT has the time of creation there).
package struct FileState: Sendable, Hashable {
    /// Tells files of one file system apart.
    package let number: UInt64
    package let size: Int
    package let links: Int
    /// Nanoseconds since 1970: ctime and mtime.
    package let changed: Int
    package let modified: Int

    /// Nil where the file cannot be asked.
    package init?(_ file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        self.init(status)
    }

    /// No file's.
    package static let none = FileState(stat())

    /// Nobody has written to it in between, whatever became of its names.
    package func hasContents(of earlier: FileState) -> Bool {
        number == earlier.number && size == earlier.size && modified == earlier.modified
    }

    private init(_ status: stat) {
        // Cannot trap: it has no sign.
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
        links = Int(clamping: status.st_nlink)
        changed = Self.nanoseconds(status.st_ctim)
        modified = Self.nanoseconds(status.st_mtim)
    }

    private static func nanoseconds(_ time: timespec) -> Int {
        time.tv_sec &* 1_000_000_000 &+ time.tv_nsec
    }

    /// The same in 32 bits, for a table of a million. Never 0.
    package var stamp: UInt32 {
        var mixed: UInt64 = 0
        for word in [
            number, UInt64(bitPattern: Int64(size)), UInt64(bitPattern: Int64(changed)),
            UInt64(bitPattern: Int64(modified)),
        ] {
            mixed = (mixed ^ word) &* 0x9E37_79B9_7F4A_7C15
            mixed ^= mixed >> 29
        }
        return UInt32(truncatingIfNeeded: mixed >> 32) | 1
    }
}
