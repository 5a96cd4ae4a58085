// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Kernel

/// What is to stay free of a file system for others.
package enum FreeSpace: Sendable, Hashable {
    case bytes(Int)
    /// Of the file system's size.
    case percent(Int)

    func bytes(of size: Int) -> Int {
        switch self {
        case .bytes(let bytes): bytes
        case .percent(let percent): size / 100 * percent
        }
    }

    /// The same part of the inodes as of the bytes: who wants a tenth of the disk left wants to write to it.
    func files(of count: Int, size: Int) -> Int {
        switch self {
        // Cannot trap: a part of no more than 1 of at most 2⁴⁸ inodes.
        case .bytes(let bytes): size > 0 ? Int(Double(count) * min(1, Double(bytes) / Double(size))) : 0
        case .percent(let percent): count / 100 * percent + count % 100 * percent / 100
        }
    }
}

/// One kind of room: how much of it there is, and what follows from it.
struct Supply: Sendable, Hashable {
    /// That we may still take.
    var free: Int
    /// That is to stay free.
    var minimum: Int

    /// What is to be given back so that the minimum, and a sixteenth on top of it, is free again; 0 above the minimum.
    var shortage: Int {
        guard free < minimum else { return 0 }
        let (sum, isHuge) = (minimum - free).addingReportingOverflow(minimum / 16)
        return isHuge ? .max : sum
    }

    /// Entries leave first, from the minimum downward; from its half downward nothing new is kept.
    var takesNew: Bool { free >= minimum / 2 }
}

/// How much room a file system has: bytes, and inodes, of which every file takes one whatever its size.
struct Room: Sendable, Hashable {
    let bytes: Supply
    /// Nil where inodes are made as they are needed (Btrfs says 0), or where the file system does not say.
    let files: Supply?

    /// What a file system lacks.
    struct Shortage: Sendable, Hashable {
        var bytes = 0
        var files = 0

        static let none = Shortage()
    }

    /// Nil where the file system does not say.
    init?(of folder: borrowing OwnedDescriptor, leaving space: FreeSpace) {
        var status = statvfs()
        guard fstatvfs(folder.raw, &status) == 0 else { return nil }
        self.init(
            // Cannot trap: these have no sign.
            block: UInt64(status.f_frsize), blocks: UInt64(status.f_blocks), free: UInt64(status.f_bavail),
            // Cannot trap: nor have these.
            inodes: UInt64(status.f_files), freeInodes: UInt64(status.f_favail), leaving: space)
    }

    /// With the numbers of statvfs(3). A network's file system may say anything: what makes no sense is no limit.
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

    /// Why it takes nothing new.
    var obstacle: SystemError {
        SystemError(
            bytes.takesNew
                ? "the disk has fewer free inodes than its minimum"
                : "the disk has less than its minimum free",
            code: ENOSPC)
    }
}
