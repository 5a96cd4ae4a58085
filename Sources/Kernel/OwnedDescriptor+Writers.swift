// SPDX-License-Identifier: Apache-2.0
//
// A file that another process fills is opened twice: once in this process and once in the other. The kernel grants a lease for
// writing only to a file's one opening for writing (fcntl(2), F_SETLEASE), and a memory mapping keeps the opening from which it
// was made. So a lease proves that the other process has closed the file, whatever copies of the descriptor it made, and that it
// cannot write there any more.

internal import CLinux
internal import Glibc

extension OwnedDescriptor {
    /// How many openings of a file can write to it.
    package enum Writers: Sendable {
        /// Only this opening can write.
        case one
        /// Other openings can write as well.
        case several
        /// Unknown, because the file system reports no openings, or none that a mapping keeps.
        case unknown
    }

    /// File systems where a mapping keeps the file itself open (statfs(2), f_type): ext4, XFS, Btrfs, tmpfs, F2FS, ZFS, bcachefs.
    /// On an overlay, a mapping keeps the file of the lower file system open, which a lease on the overlay's file does not see.
    private static let plain: Set<UInt32> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E,
    ]

    /// Tells whether openings other than this one can write to the file. The descriptor must be open for writing. Takes about 2
    /// µs.
    package var writers: Writers {
        guard Self.plain.contains(pictor_file_system_type(raw)) else { return .unknown }
        return switch pictor_is_sole_writer(raw) {
        case 1: .one
        case 0: .several
        default: .unknown
        }
    }

    /// Opens the same file again, for another process. The new opening has an offset of its own, because jobs that share an
    /// original would move each other's, and it cannot write, even if this descriptor can.
    package func reopenedForReading() throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor(adopting: openAgain(O_RDONLY)).forRequest()
    }

    /// As `reopenedForReading`, but the new opening can write, too.
    package func reopenedForWriting() throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor(adopting: openAgain(O_RDWR)).forRequest()
    }

    func openAgain(_ access: Int32) throws(SystemError) -> Int32 {
        let reopened = open("/proc/self/fd/\(raw)", access | O_CLOEXEC)
        guard reopened >= 0 else { throw .last("open") }
        return reopened
    }
}
