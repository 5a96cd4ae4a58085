// SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A file's identity at one moment (fstat(2)): its size, its links and the times of its last changes. Any
/// change to the file changes one of them. ctime cannot be set by programs; mtime serves file systems whose
/// ctime is something else (FAT stores the time of creation there).
package struct FileState: Sendable, Hashable {
    /// The inode number: unique within one file system.
    package let number: UInt64
    /// Bytes.
    package let size: Int
    /// Names of the file; 0 once the last one is removed.
    package let links: Int
    /// ctime: nanoseconds since 1970.
    package let changed: Int
    /// mtime: nanoseconds since 1970.
    package let modified: Int

    /// The state of an open file, by one fstat(2); nil if the call fails.
    package init?(_ file: Int32) {
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        self.init(status)
    }

    /// The state of no file: every field is 0.
    package static let none = FileState(stat())

    /// True if the contents are the same as at `earlier`, whatever became of the file's names.
    package func hasContents(of earlier: FileState) -> Bool {
        number == earlier.number && size == earlier.size && modified == earlier.modified
    }

    /// True if the open file may have other bytes than when this state was taken; the loss of a name alone alters nothing. One
    /// fstat(2).
    package func isAltered(in file: Int32) -> Bool {
        guard let now = FileState(file) else { return true }
        return now != self && !(now.links < links && now.hasContents(of: self))
    }

    /// Takes the result of a stat(2) or fstat(2) made elsewhere.
    package init(_ status: stat) {
        // Cannot trap: st_ino is unsigned.
        number = UInt64(status.st_ino)
        size = Int(status.st_size)
        links = Int(clamping: status.st_nlink)
        changed = Self.nanoseconds(status.st_ctim)
        modified = Self.nanoseconds(status.st_mtim)
    }

    /// Nanoseconds since 1970. A time before 1677 or after 2262, which a file may have, is the first or the last that can be counted.
    package static func nanoseconds(_ time: timespec) -> Int {
        let (whole, isFar) = time.tv_sec.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isFarther) = whole.addingReportingOverflow(time.tv_nsec)
        guard isFar || isFarther else { return sum }
        return time.tv_sec < 0 ? .min : .max
    }

    /// A 32-bit hash of the state, for a table of a million files. Never 0.
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
