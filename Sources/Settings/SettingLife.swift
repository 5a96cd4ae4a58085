// SPDX-License-Identifier: Apache-2.0

/// When a new value of a setting counts. Each setting is either listed as live (`SettingsChange.swift`) or has a reason here;
/// a test asks for it.
package enum SettingLife: Sendable, Hashable {
    /// From the reload on.
    case live
    /// From the next start on.
    case atRestart(RestartReason)
}

/// Why a setting stays as it is until the next start. The words complete "at the next start: ".
package enum RestartReason: String, Sendable, CaseIterable {
    case listeners = "sockets are opened once"
    case tables = "each event loop makes its tables when it starts"
    case census = "connections that are open have been counted by it"
    case protocolOfProxy = "the proxy has to change together with it"
    case processes = "decoders and inspectors are started and jailed by it"
    case memory = "memory is divided between caches and processes once"
    case disk = "the disk cache is opened with it"
    case samples = "the sample pictures become an origin at the start"
    case exporter = "the thread that exports spans is started with it"
    case sharedStore = "its connections and writers are started once"
    case fleet = "its connections to Redis are made once"
    case queues = "the queues of lines are made once"
    /// The reason for a live setting that makes no sense with the old value of another.
    case company = "it belongs to a setting that changes then"
    /// The reason for a setting that nobody has listed yet.
    case unlisted = "it is read once"

    /// The settings that stay for this reason.
    var keys: [String] {
        switch self {
        case .listeners: ["server.listen", "admin.listen"]
        case .tables: ["server.threads", "server.maximum-connections"]
        case .census: ["limits.connections-per-client", "limits.ipv6-prefix"]
        case .protocolOfProxy: ["server.proxy-protocol"]
        case .processes:
            [
                "decoder.processes", "decoder.jail", "decoder.maximum-output", "decoder.formats",
                "decoder.fonts", "decoder.writes",
                "decoder.jpeg-lane", "decoder.recycle-after",
            ]
        case .memory: ["decoder.memory", "decoder.recycle-above", "cache.memory", "cache.open-files"]
        case .disk:
            [
                "cache.directory", "cache.disk", "cache.originals-share", "cache.minimum-free",
                "cache.scrub-rate", "cache.held-disk", "cache.held-memory",
            ]
        case .samples: ["playground.enabled"]
        case .exporter: ["traces.endpoint", "traces.credentials", "traces.service", "traces.queue"]
        case .sharedStore: Setting.sharedStore.map(\.key)
        case .fleet: Setting.fleet.map(\.key)
        case .queues: ["log.queue"]
        case .company, .unlisted: []
        }
    }

    fileprivate static let byKey: [String: RestartReason] = {
        let rows = allCases.flatMap { reason in reason.keys.map { ($0, reason) } }
        return Dictionary(rows) { first, _ in first }
    }()
}

extension Setting {
    /// Whether a reload takes a new value into force, and if not, why.
    package var life: SettingLife {
        changesLive ? .live : .atRestart(RestartReason.byKey[key] ?? .unlisted)
    }
}
