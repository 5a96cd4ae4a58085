// SPDX-License-Identifier: Apache-2.0

internal import Settings
internal import Synchronization

/// How long a drain takes, by the settings that are in force when it begins.
///
/// **Isolation:** a `Mutex`.
final class DrainTimes: Sendable {
    private let settings: Mutex<Settings.Server>

    init(_ settings: Settings.Server) { self.settings = Mutex(settings) }

    func replace(with settings: Settings.Server) { self.settings.withLock { $0 = settings } }

    /// `server.drain-delay` and `server.drain-timeout`.
    var now: (delay: Duration, timeout: Duration) {
        settings.withLock { ($0.drainDelay, $0.drainTimeout) }
    }

    /// The sum of both.
    var longest: Duration { now.delay + now.timeout }
}
