// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The service manager's watchdog (`WatchdogSec=`, sd_watchdog_enabled(3)): reports at half its interval that Swift tasks still
/// run.
///
/// A task sends the reports, not a thread, so that they stop if tasks no longer run: every answer that is not in the memory cache
/// needs a task.
enum Watchdog {
    /// Nil without a watchdog.
    static func start() -> Task<Void, Never>? {
        guard let interval else { return nil }
        return Task {
            while !Task.isCancelled {
                ServiceNotifier.tell(.alive)
                try? await Task.sleep(for: interval / 2)
            }
        }
    }

    private static var interval: Duration? {
        guard let microseconds = number("WATCHDOG_USEC"), microseconds > 0 else { return nil }
        // Without WATCHDOG_PID, every process that has the variable is watched.
        if let process = number("WATCHDOG_PID"), process != Int64(getpid()) { return nil }
        return .microseconds(microseconds)
    }

    private static func number(_ name: String) -> Int64? {
        getenv(name).flatMap { Int64(String(cString: $0)) }
    }
}
