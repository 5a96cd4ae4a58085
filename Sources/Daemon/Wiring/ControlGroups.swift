// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The control groups of this process (cgroups(7), versions 1 and 2), by which a container or a unit is limited.
enum ControlGroups {
    /// A group's folder.
    struct Group {
        let path: String
        /// True for version 2, in which a group has one folder for all resources.
        let isUnified: Bool
    }

    /// The text of /proc/self/cgroup; empty if there is none.
    static var own: String { read("/proc/self/cgroup") ?? "" }

    /// A file's text; nil for a missing file.
    static func read(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The groups that limit a resource for this process, and all groups above them. In a container, the path may be the host's,
    /// whose folders do not exist there; the limit is then at the root of the mount.
    /// - Parameter groups: the text of /proc/self/cgroup, lines of `id:controllers:path`; version 2 is the line `0::path`.
    static func bounding(_ controller: String, in groups: String) -> [Group] {
        groups.split(separator: "\n").flatMap { line -> [Group] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            let isUnified = parts[0] == "0" && parts[1].isEmpty
            guard isUnified || parts[1].split(separator: ",").contains(controller[...]) else { return [] }
            var folders = ["/sys/fs/cgroup" + (isUnified ? "" : "/\(controller)")]
            for name in parts[2].split(separator: "/") {
                folders.append(folders[folders.count - 1] + "/" + name)
            }
            return folders.map { Group(path: $0, isUnified: isUnified) }
        }
    }
}
