// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The memory that this process and its children may use together: the least of the machine's memory and the
/// limits of its control groups (cgroups(7), versions 1 and 2), which a container or a unit with MemoryMax=
/// sets.
enum MemoryLimit {
    /// Bytes.
    static var bytes: Int {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return limits(groups) { try? String(contentsOfFile: $0, encoding: .utf8) }
            .reduce(Int(clamping: ProcessInfo.processInfo.physicalMemory), min)
    }

    /// The limits of all control groups of the process, in bytes.
    ///
    /// - Parameters:
    ///   - groups: the text of /proc/self/cgroup, lines of `id:controllers:path`; version 2 is the line
    ///     `0::path`.
    ///   - read: gives a file's text; nil for a missing file.
    static func limits(_ groups: String, read: (String) -> String?) -> [Int] {
        groups.split(separator: "\n").flatMap { line -> [Int] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[0] == "0", parts[1].isEmpty {
                return along(String(parts[2]), of: "/sys/fs/cgroup", file: "memory.max", read)
            }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return along(String(parts[2]), of: "/sys/fs/cgroup/memory", file: "memory.limit_in_bytes", read)
        }
    }

    /// The limits of a group and of all groups above it. In a container the path may be the host's, whose
    /// folders are missing; the root of the mount has the limit then.
    private static func along(
        _ path: String, of mount: String, file: String, _ read: (String) -> String?
    ) -> [Int] {
        var folders = [mount]
        for name in path.split(separator: "/") { folders.append(folders[folders.count - 1] + "/" + name) }
        return folders.compactMap { folder in
            read("\(folder)/\(file)").flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
        }
    }
}
