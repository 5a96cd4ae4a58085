// SPDX-License-Identifier: Apache-2.0

/// The folders from which originals may come, and the limits of reading.
package struct FileConfiguration: Sendable, Hashable {
    /// The absolute paths of the folders, by the names in URLs.
    package var folders: [String: String] = [:]
    /// The policy whose `denial` excludes URLs below the folders.
    package var policy = SourcePolicy()
    /// The most bytes of a file.
    package var bodyLimit: Int = 64 << 20
    /// The time limit for one file. Local disks need milliseconds; a network file system may hang.
    package var timeout: Duration = .seconds(30)

    package init() {}
}
