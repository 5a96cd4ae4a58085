// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// Path of the disk cache: the setting, `$CACHE_DIRECTORY`, `$XDG_CACHE_HOME/pictor` or
    /// `~/.cache/pictor`.
    package var cacheFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if !cache.directory.isEmpty { return cache.directory }
        if let folder = environment["CACHE_DIRECTORY"], !folder.isEmpty { return folder }
        if let folder = environment["XDG_CACHE_HOME"], !folder.isEmpty { return folder + "/pictor" }
        return NSHomeDirectory() + "/.cache/pictor"
    }

    /// Path of the folder in memory that a service manager made for the daemon, `$RUNTIME_DIRECTORY`; nil without one. If there
    /// are several, systemd separates them with colons; the first is taken.
    package static var runtimeFolder: String? {
        let folders = ProcessInfo.processInfo.environment["RUNTIME_DIRECTORY"] ?? ""
        return folders.split(separator: ":").first.map(String.init)
    }
}
