// SPDX-License-Identifier: Apache-2.0
//
// A file that another process fills is open twice: here, and there by an opening of its own. The kernel grants a lease for
// writing only to a file's one opening for writing (fcntl(2), F_SETLEASE), and a mapping holds the opening that it was made
// by. So a lease proves that the other process has closed the file, whatever copies of the descriptor it made, and that it
// cannot write there any more.

internal import CLinux
internal import Glibc

extension OwnedDescriptor {
    /// The openings of a file that can write to it.
    package enum Writers: Sendable {
        /// Only this opening can write.
        case one
        /// Others too.
        case several
        /// The file system does not tell, or not of mappings.
        case unknown
    }

    /// The file system of the files that a mapping holds itself (statfs(2), f_type): ext4, XFS, Btrfs, tmpfs, F2FS, ZFS,
    /// bcachefs. A mapping of an overlay's file holds the file below it, of which a lease knows nothing.
    private static let plain: Set<UInt32> = [
        0xEF53, 0x5846_5342, 0x9123_683E, 0x0102_1994, 0xF2F5_2010, 0x2FC1_2FC1, 0xCA45_1A4E,
    ]

    /// The openings of this descriptor's file that can write to it; the descriptor itself is open for writing.
    /// Takes some two microseconds.
    package var writers: Writers {
        guard Self.plain.contains(pictor_file_system_type(raw)) else { return .unknown }
        return switch pictor_is_sole_writer(raw) {
        case 1: .one
        case 0: .several
        default: .unknown
        }
    }

    /// The same file for another process, opened once more: with an offset of its own, because jobs that share an original would
    /// move each other's, and without the right to write that this descriptor may have.
    package func reopenedForReading() throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor(adopting: openAgain(O_RDONLY)).forRequest()
    }

    /// As `reopenedForReading`, for writing as well.
    package func reopenedForWriting() throws(SystemError) -> OwnedDescriptor {
        try OwnedDescriptor(adopting: openAgain(O_RDWR)).forRequest()
    }

    func openAgain(_ access: Int32) throws(SystemError) -> Int32 {
        let reopened = open("/proc/self/fd/\(raw)", access | O_CLOEXEC)
        guard reopened >= 0 else { throw .last("open") }
        return reopened
    }
}
