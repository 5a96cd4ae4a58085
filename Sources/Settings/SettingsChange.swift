// SPDX-License-Identifier: Apache-2.0

/// The difference between the settings in force and those that were read anew.
package struct SettingsChange: Sendable, Equatable {
    /// Keys of settings that change while the daemon runs, in the order of the table.
    package let live: [String]
    /// Keys of those that change at the next start.
    package let atRestart: [String]
    /// The settings in force with those that change live.
    package let settings: Settings

    /// Compares each setting.
    package init(from old: Settings, to new: Settings) {
        var settings = old
        var (live, atRestart): ([String], [String]) = ([], [])
        for setting in Setting.table where setting.differs(old, new) {
            if setting.changesLive {
                live.append(setting.key)
                setting.copy(new, &settings)
            } else {
                atRestart.append(setting.key)
            }
        }
        (self.live, self.atRestart, self.settings) = (live, atRestart, settings)
    }
}

extension Setting {
    /// Whether a reload takes a new value into force. The others are of what is opened or started once: sockets, files,
    /// processes, the engine's key.
    package var changesLive: Bool {
        Self.liveGroups.contains(group) || Self.liveKeys.contains(key)
    }

    /// Groups of which each setting changes live.
    static let liveGroups: Set<String> = [
        "signatures", "referers", "negative", "options", "weserv", "next", "cloudflare",
    ]

    /// And these.
    static let liveKeys: Set<String> = [
        "server.probes", "limits.requests-per-client", "limits.misses-per-client", "limits.enlarged-pixels",
        "admin.dashboard", "admin.hosts",
        "admin.token", "admin.token-file", "origin.allow-private", "origin.allow-networks",
        "origin.deny-networks", "origin.connect-timeout", "origin.first-byte-timeout", "origin.idle-timeout",
        "origin.timeout", "origin.maximum-redirects", "origin.maximum-fetches",
        "origin.maximum-fetches-per-host", "origin.maximum-rate-per-host", "origin.queue-length",
        "origin.queue-timeout", "origin.rest-after", "origin.first-rest", "origin.longest-rest",
        "origin.resumptions", "decoder.long-picture", "decoder.avif-jobs", "decoder.queue-length",
        "decoder.queue-timeout", "origin.allow-hosts", "origin.deny-hosts", "origin.allow-urls",
        "origin.deny-urls", "origin.ports", "origin.files", "cache.minimum-lifetime",
        "cache.maximum-lifetime",
        "cache.default-lifetime", "cache.heuristic-fraction", "cache.heuristic-maximum",
        "cache.stale-while-revalidate", "cache.stale-if-error", "cache.stale-wait",
        "cache.client-minimum-lifetime", "cache.client-maximum-lifetime", "cache.client-lifetimes",
        "cache.maximum-refreshes", "log.level", "log.format", "log.access", "log.access-sample",
        "log.access-rate", "log.redact",
    ]
}
