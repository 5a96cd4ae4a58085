// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// One resource of a file system, bytes or inodes.
struct DiskResource: Sendable, Hashable {
    /// The amount that may still be used.
    var free: Int
    /// The amount that must stay free.
    var minimum: Int

    /// The amount to free so that the minimum and a sixteenth more are free again; 0 if the minimum is free.
    var shortage: Int {
        guard free < minimum else { return 0 }
        let (sum, isHuge) = (minimum - free).addingReportingOverflow(minimum / 16)
        return isHuge ? .max : sum
    }

    /// True unless less than half of the minimum is free. Below the minimum, entries are evicted; below half of it, nothing new
    /// is kept.
    var takesNew: Bool { free >= minimum / 2 }
}

/// The free space of a file system: bytes, and inodes, of which each file needs one.
struct DiskSpace: Sendable, Hashable {
    let bytes: DiskResource
    /// Nil if inodes are made on demand (Btrfs reports 0), or if the file system does not tell.
    let files: DiskResource?

    /// What a file system lacks.
    struct Shortage: Sendable, Hashable {
        var bytes = 0
        var files = 0

        static let none = Shortage()
    }

    /// Nil if the file system does not report its space.
    init?(of folder: borrowing OwnedDescriptor, leaving reserve: ReservedSpace) {
        var status = statvfs()
        guard fstatvfs(folder.raw, &status) == 0 else { return nil }
        self.init(
            // Cannot trap: these fields are unsigned.
            block: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks), free: UInt64(status.f_bavail),
            // Cannot trap: these fields are unsigned, too.
            inodes: UInt64(status.f_files), freeInodes: UInt64(status.f_favail), leaving: reserve)
    }

    /// Takes the numbers of statvfs(3). Network file systems may report anything; implausible numbers set no
    /// limit.
    init(
        block: UInt64, blocks: UInt64, free: UInt64, inodes: UInt64, freeInodes: UInt64,
        leaving reserve: ReservedSpace
    ) {
        func bytes(_ blocks: UInt64) -> Int {
            let (bytes, isHuge) = blocks.multipliedReportingOverflow(by: block)
            return isHuge ? .max : Int(clamping: bytes)
        }
        let size = bytes(blocks)
        self.bytes = DiskResource(free: bytes(free), minimum: reserve.bytes(of: size))
        guard inodes > 0, inodes <= UInt64(UInt32.max) << 16, freeInodes <= inodes else {
            files = nil
            return
        }
        files = DiskResource(free: Int(freeInodes), minimum: reserve.files(of: Int(inodes), size: size))
    }

    var shortage: Shortage { Shortage(bytes: bytes.shortage, files: files?.shortage ?? 0) }

    var takesNew: Bool { bytes.takesNew && files?.takesNew ?? true }

    /// The reason why nothing new is kept.
    var obstacle: SystemError {
        SystemError(
            bytes.takesNew
                ? "the disk has fewer free inodes than its minimum"
                : "the disk has less than its minimum free",
            code: ENOSPC)
    }
}
