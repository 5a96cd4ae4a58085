// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Settings
internal import Synchronization
internal import Telemetry

/// The rules of the process's log: the lowest level, the format of its lines, and the parameters that they hide. They can be
/// replaced at run time.
///
/// **Isolation:** an atomic for the level, which every event reads; a `Mutex` for the rest, which only written lines read.
package final class LogRules: Sendable {
    /// How an event is written as a line.
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

    /// Takes the rules from the settings.
    package init(_ settings: Settings) {
        index = Atomic(Self.index(of: settings.log.level))
        formInForce = Mutex(Form(settings))
    }

    /// The present lowest level for all loggers that have none of their own.
    package var level: Logger.Level {
        let levels = Logger.Level.allCases
        // Cannot trap: only indices of levels are stored in `index`.
        return levels[levels.index(levels.startIndex, offsetBy: index.load(ordering: .relaxed))]
    }

    /// The form for the next line.
    var form: Form { formInForce.withLock(\.self) }

    /// Applies other settings to the events from now on.
    package func replace(with settings: Settings) {
        // Made before the lock is taken, because it reads the profiles' file, and every line waits for the lock.
        let form = Form(settings)
        formInForce.withLock { $0 = form }
        index.store(Self.index(of: settings.log.level), ordering: .relaxed)
    }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.enumerated().first { $0.element == level }?.offset ?? 0
    }
}
