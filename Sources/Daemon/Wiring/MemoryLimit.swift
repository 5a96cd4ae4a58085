// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The memory that this process and its children may use together: the machine's memory or, if it is lower, the limit of a
/// control group that a container or a unit with MemoryMax= sets.
enum MemoryLimit {
    /// The limit in bytes.
    static var bytes: Int {
        limits(ControlGroups.own, read: ControlGroups.read)
            .reduce(Int(clamping: ProcessInfo.processInfo.physicalMemory), min)
    }

    /// The limits of all control groups of the process, in bytes.
    ///
    /// - Parameters:
    ///   - groups: the text of /proc/self/cgroup.
    ///   - read: gives a file's text; nil for a missing file.
    static func limits(_ groups: String, read: (String) -> String?) -> [Int] {
        ControlGroups.bounding("memory", in: groups).compactMap { group in
            read("\(group.path)/\(group.isUnified ? "memory.max" : "memory.limit_in_bytes")")
                .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }
}
