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
}
