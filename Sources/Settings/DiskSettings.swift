// SPDX-License-Identifier: Apache-2.0

internal import Foundation

extension Settings {
    /// Path of the disk cache: the setting, `$CACHE_DIRECTORY`, `$XDG_CACHE_HOME/pictor` or
    /// `~/.cache/pictor`.
    package var cacheFolder: String {
        if !cache.directory.isEmpty { return cache.directory }
        if let folder = Self.managedFolder("CACHE_DIRECTORY") { return folder }
        if let folder = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], !folder.isEmpty {
            return folder + "/pictor"
        }
        return NSHomeDirectory() + "/.cache/pictor"
    }

    /// Path of the folder in memory that a service manager made for the daemon, `$RUNTIME_DIRECTORY`; nil without one.
    package static var runtimeFolder: String? { managedFolder("RUNTIME_DIRECTORY") }

    /// Path of the folder that a service manager made for the daemon and named in this variable; nil without one. If there are
    /// several, systemd sorts them, and separates them with colons (systemd.exec(5)). The one called `pictor`, as in the unit, is
    /// taken, or else the first.
    private static func managedFolder(_ variable: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment[variable] ?? "")
            .split(separator: ":").map(String.init)
        return folders.first { $0.hasSuffix("/pictor") } ?? folders.first
    }
}
