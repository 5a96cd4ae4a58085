// SPDX-License-Identifier: Apache-2.0

/// When a new value of a setting takes effect.
package enum SettingLife: Sendable, Hashable {
    /// At a reload, by `CompositionRoot.take`.
    case live
    /// At the next start.
    case atRestart(RestartReason)
}

/// Why a setting keeps its value until the next start. The words complete "at the next start: ".
package enum RestartReason: String, Sendable {
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
    /// The reason for a live setting whose new value makes no sense with the old value of another setting.
    case company = "it belongs to a setting that changes then"
}
