// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Tells the service manager (`WatchdogSec=`, sd_watchdog_enabled(3)) at half its interval that tasks still run here.
///
/// From a task and not from a thread of its own, so that it falls silent when the tasks, which make every answer
/// that is not a cached answer, have come to a stop.
enum Watchdog {
    /// Nil where nobody watches.
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
        // Without it, whoever has the variable is meant.
        if let process = number("WATCHDOG_PID"), process != Int64(getpid()) { return nil }
        return .microseconds(microseconds)
    }

    private static func number(_ name: String) -> Int64? {
        getenv(name).flatMap { Int64(String(cString: $0)) }
    }
}
