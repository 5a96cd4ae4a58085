// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Settings
internal import Synchronization
internal import Telemetry

/// The rules of the process's log, which may change while it runs: the least level, the form of its lines, and the
/// parameters that they hide.
///
/// **Isolation:** an atomic for the level, which every event asks for; a `Mutex` around the rest, which written lines read.
package final class LogRules: Sendable {
    /// How an event becomes a line.
    struct Form: Sendable {
        var format: LogFormat
        var secrets: SecretParameters

        init(_ settings: Settings) {
            format = settings.log.format
            secrets = settings.secretParameters
        }
    }

    private let index: Atomic<Int>
    private let formInForce: Mutex<Form>

    /// Starts with these settings.
    package init(_ settings: Settings) {
        index = Atomic(Self.index(of: settings.log.level))
        formInForce = Mutex(Form(settings))
    }

    /// The least level now, of all loggers that have none of their own.
    package var level: Logger.Level {
        let levels = Logger.Level.allCases
        // Cannot trap: only indices of levels are stored.
        return levels[levels.index(levels.startIndex, offsetBy: index.load(ordering: .relaxed))]
    }

    /// For the next line.
    var form: Form { formInForce.withLock(\.self) }

    /// Takes other settings into force, for the events from now on.
    package func replace(with settings: Settings) {
        // Before the lock, which every line waits for: it reads the profiles' file.
        let form = Form(settings)
        formInForce.withLock { $0 = form }
        index.store(Self.index(of: settings.log.level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.enumerated().first { $0.element == level }?.offset ?? 0
    }
}
