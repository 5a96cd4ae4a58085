// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// The space of a file system that stays free for others.
package enum FreeSpace: Sendable, Hashable {
    case bytes(Int)
    /// Percent of the file system's size.
    case percent(Int)

    func bytes(of size: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): size / 100 * percent
        }
    }

    /// Inodes that stay free: the same fraction as of the bytes, because free bytes are of no use without
    /// inodes.
    func files(of count: Int, size: Int) -> Int {
        switch self {
        // Cannot trap: a part of no more than 1 of at most 2⁴⁸ inodes.
        case .bytes(let bytes): size > 0 ? Int(Double(count) * min(1, Double(bytes) / Double(size))) : 0
        case .percent(let percent): count / 100 * percent + count % 100 * percent / 100
        }
    }
}

/// One resource of a file system, bytes or inodes.
struct Supply: Sendable, Hashable {
    /// The amount that may still be used.
    var free: Int
    /// The amount that must stay free.
    var minimum: Int

    /// The amount to give back so that the minimum and a sixteenth more are free again; 0 above the minimum.
    var shortage: Int {
        guard free < minimum else { return 0 }
        let (sum, isHuge) = (minimum - free).addingReportingOverflow(minimum / 16)
        return isHuge ? .max : sum
    }

    /// Below the minimum, entries are evicted; below half of it, nothing new is kept.
    var takesNew: Bool { free >= minimum / 2 }
}

/// The free room of a file system: bytes, and inodes, of which each file needs one.
struct Room: Sendable, Hashable {
    let bytes: Supply
    /// Nil if inodes are made on demand (Btrfs reports 0), or if the file system does not tell.
    let files: Supply?

    /// The amounts that a file system lacks.
    struct Shortage: Sendable, Hashable {
        var bytes = 0
        var files = 0

        static let none = Shortage()
    }

    /// Nil if the file system does not tell.
    init?(of folder: borrowing OwnedDescriptor, leaving space: FreeSpace) {
        var status = statvfs()
        guard fstatvfs(folder.raw, &status) == 0 else { return nil }
        self.init(
            // Cannot trap: these have no sign.
            block: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks), free: UInt64(status.f_bavail),
            // Cannot trap: nor have these.
            inodes: UInt64(status.f_files), freeInodes: UInt64(status.f_favail), leaving: space)
    }

    /// Takes the numbers of statvfs(3). Network file systems may report anything; implausible numbers set no
    /// limit.
    init(
        block: UInt64, blocks: UInt64, free: UInt64, inodes: UInt64, freeInodes: UInt64,
        leaving space: FreeSpace
    ) {
        func bytes(_ blocks: UInt64) -> Int {
            let (bytes, isHuge) = blocks.multipliedReportingOverflow(by: block)
            return isHuge ? .max : Int(clamping: bytes)
        }
        let size = bytes(blocks)
        self.bytes = Supply(free: bytes(free), minimum: space.bytes(of: size))
        guard inodes > 0, inodes <= UInt64(UInt32.max) << 16, freeInodes <= inodes else {
            files = nil
            return
        }
        files = Supply(free: Int(freeInodes), minimum: space.files(of: Int(inodes), size: size))
    }

    var shortage: Shortage { Shortage(bytes: bytes.shortage, files: files?.shortage ?? 0) }

    var takesNew: Bool { bytes.takesNew && files?.takesNew ?? true }

    /// The reason for keeping nothing new.
    var obstacle: SystemError {
        SystemError(
            bytes.takesNew
                ? "the disk has fewer free inodes than its minimum"
                : "the disk has less than its minimum free",
            code: ENOSPC)
    }
}
