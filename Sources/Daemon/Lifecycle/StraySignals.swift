// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import Kernel
internal import Logging

/// Signals that mean nothing to the daemon, and whose default is to end it: undrained, and after some of them
/// with what systemd takes for success (systemd.service(5), SuccessExitStatus=). `Startup` has them noted;
/// here they are told.
///
/// SIGTERM, SIGINT and SIGQUIT drain. SIGXCPU drains too: whoever limits the process's time (LimitCPU=) wants
/// its end, and at the hard limit the kernel kills it.
enum StraySignals {
    /// From one look to the next: the log gets one line a second for each signal, whoever sends them.
    private static let pause: UInt32 = 1

    /// Tells from now on what comes, and what came before.
    static func tell(to logger: Logger, drain: @escaping @Sendable () -> Void) throws(SystemError) {
        try WorkerThread("signals") {
            while true {
                pictor_await_signal()
                for number in 1...64 as ClosedRange<Int32> {
                    let times = pictor_take_signal(number)
                    guard times > 0 else { continue }
                    logger.warning(
                        number == SIGXCPU
                            ? "the limit of processor time is reached: draining" : "signal ignored",
                        metadata: ["signal": "\(name(number))", "times": "\(times)"].merging(remark(number)) {
                            $1
                        })
                    if number == SIGXCPU { drain() }
                }
                sleep(pause)
            }
        }.detach()
    }

    private static func name(_ number: Int32) -> String {
        pictor_signal_name(number).map { "SIG" + String(cString: $0) } ?? "SIGRT\(number)"
    }

    private static func remark(_ number: Int32) -> Logger.Metadata {
        number == SIGHUP
            ? ["why": "settings are read at the start only: restart the daemon to change them"] : [:]
    }
}
