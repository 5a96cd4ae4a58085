// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc
internal import Kernel
internal import Logging
internal import Monitoring
internal import Synchronization

/// What a signal that asks for the daemon's end does, until the service group catches it.
struct StartPhase {
    private enum State {
        /// Nothing is served, so nothing has to be finished.
        case opening
        /// Answers may be under way, so the service group must drain them; it gets the signal once it runs.
        case serving(kept: Int32?)
        case handedOver
    }

    private var state = State.opening

    /// True if the process must end now.
    mutating func ends(by signal: Int32) -> Bool {
        switch state {
        case .opening: return true
        case .serving(kept: nil): state = .serving(kept: signal)
        case .serving, .handedOver: break
        }
        return false
    }

    mutating func beginServing() { state = .serving(kept: nil) }

    /// The signal that came since `beginServing`.
    mutating func handOver() -> Int32? {
        defer { state = .handedOver }
        if case .serving(let kept) = state { return kept }
        return nil
    }

    var isHandedOver: Bool { if case .handedOver = state { true } else { false } }
}

/// Handles SIGTERM, SIGINT and SIGQUIT while the daemon starts: a node of a fleet may take minutes for that, and a start may wait
/// for a disk or a store that does not answer, so nothing that is under way can be waited for.
///
/// The process ends without closing the cache, as after a crash: its files are complete or absent, and the kernel releases its
/// lock.
///
/// **Isolation:** two `Mutex`es; one thread waits for the signals.
final class StartSignals: Sendable {
    /// The most seconds for what `close` has named.
    private static let patience = 1

    private let phase = Mutex(StartPhase())
    private let closing = Mutex<(@Sendable () async -> Void)?>(nil)
    private let logger: Logger
    private let log: LogStream

    private init(_ logger: Logger, _ log: LogStream) {
        self.logger = logger
        self.log = log
    }

    /// Handles the signals from now on.
    /// - Throws: if the thread cannot be started.
    static func handle(logger: Logger, log: LogStream) throws(SystemError) -> StartSignals {
        let signals = StartSignals(logger, log)
        try WorkerThread("start-signals") { signals.wait() }.detach()
        pictor_expect_ends()
        return signals
    }

    /// Names what to close at an end before `beginServing`.
    func close(_ work: @escaping @Sendable () async -> Void) { closing.withLock { $0 = work } }

    /// Must come before anything is served. If the process is about to end, this does not return.
    func beginServing() { phase.withLock { $0.beginServing() } }

    /// Lets the service group, which catches the signals by now, handle the one that came meanwhile.
    func handOver() {
        let kept = phase.withLock { $0.handOver() }
        pictor_stop_awaiting_end()
        if let kept { kill(getpid(), kept) }
    }

    private func wait() {
        while true {
            let signal = pictor_await_end()
            // The lock is held until the end, so that nothing is served meanwhile.
            let isOver = phase.withLock { phase in
                if phase.ends(by: signal) { end(by: signal) }
                return phase.isHandedOver
            }
            if isOver { return }
        }
    }

    private func end(by signal: Int32) -> Never {
        let name = pictor_signal_name(signal).map { "SIG" + String(cString: $0) } ?? "\(signal)"
        logger.notice("stopping before the start is complete", metadata: ["signal": "\(name)"])
        ServiceNotifier.tell(.stopping)
        if let close = closing.withLock({ $0 }) {
            let isClosed = DispatchSemaphore(value: 0)
            Task {
                await close()
                isClosed.signal()
            }
            _ = isClosed.wait(timeout: .now() + .seconds(Self.patience))
        }
        logger.info("stopped")
        log.close()
        // The start goes on in other threads, so no handler of atexit(3) may run.
        _exit(EXIT_SUCCESS)
    }
}
