// SPDX-License-Identifier: Apache-2.0

internal import Foundation
package import Stores

extension Settings {
    /// The disk cache's folder, its budgets in bytes and its rates.
    package var diskConfiguration: DiskConfiguration {
        // Cannot trap: settings of bytes are bounded, and the share is no more than 1.
        let originals = Int(Double(cache.disk.bytes) * cache.originalsShare)
        var configuration = DiskConfiguration(
            folder: cacheFolder, originalsBudget: originals, renditionsBudget: cache.disk.bytes - originals)
        configuration.minimumFree = cache.minimumFree
        configuration.scrubRate = cache.scrubRate.bytes
        return configuration
    }

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
