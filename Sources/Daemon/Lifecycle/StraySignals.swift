// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Logging

/// Handles signals that have no meaning for the daemon. By default they would end it without a drain, some of them with a status
/// that systemd counts as success (systemd.service(5), SuccessExitStatus=). `Startup` makes the process note them; a thread here
/// logs them.
///
/// SIGHUP reloads the settings. SIGTERM, SIGINT and SIGQUIT drain. SIGXCPU drains, too: the soft limit of processor time
/// (LimitCPU=) sends it, and at the hard limit the kernel kills the process.
enum StraySignals {
    /// Seconds between two looks, so that the log gets at most one line per second for each signal.
    private static let pause: UInt32 = 1

    /// Logs the signals from now on, and those that came before.
    /// - Throws: if the thread cannot be started.
    static func tell(
        to logger: Logger, drain: @escaping @Sendable () -> Void, reload: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        try WorkerThread("signals") {
            while true {
                pictor_await_signal()
                for number in 1...64 as ClosedRange<Int32> {
                    let times = pictor_take_signal(number)
                    guard times > 0 else { continue }
                    if number == SIGHUP {
                        reload()
                        continue
                    }
                    logger.warning(
                        number == SIGXCPU
                            ? "the limit of processor time is reached: draining" : "signal ignored",
                        metadata: ["signal": "\(name(number))", "times": "\(times)"])
                    if number == SIGXCPU { drain() }
                }
                sleep(pause)
            }
        }.detach()
    }

    private static func name(_ number: Int32) -> String {
        pictor_signal_name(number).map { "SIG" + String(cString: $0) } ?? "SIGRT\(number)"
    }
}
