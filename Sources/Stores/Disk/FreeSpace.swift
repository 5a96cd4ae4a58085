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
}

/// How much room a file system has, and what follows from it.
struct Room: Sendable, Hashable {
    /// Bytes that we may still take.
    let free: Int
    /// Bytes that are to stay free.
    let minimum: Int

    /// Nil where the file system does not say.
    init?(of folder: borrowing OwnedDescriptor, leaving space: FreeSpace) {
        var status = statvfs()
        guard fstatvfs(folder.raw, &status) == 0 else { return nil }
        let block = Int(status.f_frsize)
        free = Int(status.f_bavail) * block
        minimum = space.bytes(of: Int(status.f_blocks) * block)
    }

    /// Bytes to be given back so that the minimum, and a sixteenth on top of it, is free again; 0 above the minimum.
    var shortage: Int {
        guard free < minimum else { return 0 }
        let (sum, isHuge) = (minimum - free).addingReportingOverflow(minimum / 16)
        return isHuge ? .max : sum
    }

    /// Entries leave first, from the minimum downward; from its half downward nothing new is kept.
    var takesNew: Bool { free >= minimum / 2 }
}
