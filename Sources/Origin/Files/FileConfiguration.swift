// SPDX-License-Identifier: Apache-2.0

/// The folders that originals may come from, and the limits of reading them.
package struct FileConfiguration: Sendable, Hashable {
    /// Absolute paths by the names that URLs have for them.
    package var folders: [String: String] = [:]
    /// The policy whose `denial` closes URLs below them.
    package var policy = SourcePolicy()
    /// Bytes of a file.
    package var bodyLimit: Int = 64 << 20
    /// For a file in all. Local disks need milliseconds; a network's file system may hang.
    package var timeout: Duration = .seconds(30)

    /// No folder.
    package init() {}
}
