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
        case serving(kept: Int32?, patience: Duration)
        case handedOver
    }

    /// What follows from a signal.
    enum Consequence: Equatable {
        /// The process must end now.
        case end
        /// The signal is kept. Unless the service group takes it over within this time, the process must end.
        case keep(atMost: Duration)
        /// An earlier signal is kept, or the service group catches this one itself.
        case nothing
    }

    private var state = State.opening

    mutating func take(_ signal: Int32) -> Consequence {
        switch state {
        case .opening: return .end
        case .serving(kept: nil, let patience):
            state = .serving(kept: signal, patience: patience)
            return .keep(atMost: patience)
        case .serving, .handedOver: return .nothing
        }
    }

    /// - Parameter patience: how long a signal waits for the service group.
    mutating func beginServing(patience: Duration) { state = .serving(kept: nil, patience: patience) }

    /// The signal that came since `beginServing`.
    mutating func handOver() -> Int32? {
        defer { state = .handedOver }
        if case .serving(let kept, _) = state { return kept }
        return nil
    }

    var isHandedOver: Bool { if case .handedOver = state { true } else { false } }
}

/// Handles SIGTERM, SIGINT and SIGQUIT while the daemon starts: a node of a fleet may take minutes for that, and a start may wait
/// for a disk or a store that does not answer, so nothing that is under way can be waited for. Once answers may be under way, the
/// service group drains them; a start that does not get that far ends after the time of a drain.
///
/// The process ends without closing the cache, as after a crash: its files are complete or absent, and the kernel releases its
/// lock.
///
/// **Isolation:** two `Mutex`es and a semaphore; one thread waits for the signals.
final class StartSignals: Sendable {
    /// The most seconds for what `close` has named.
    private static let patience = 1

    private let phase = Mutex(StartPhase())
    private let closing = Mutex<(@Sendable () async -> Void)?>(nil)
    private let handedOver = DispatchSemaphore(value: 0)
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
    /// - Parameter drain: how long a drain may take. A signal waits as long for the service group.
    func beginServing(drain: Duration) { phase.withLock { $0.beginServing(patience: drain) } }

    /// Lets the service group, which catches the signals by now, handle the one that came meanwhile.
    func handOver() {
        let kept = phase.withLock { $0.handOver() }
        handedOver.signal()
        pictor_stop_awaiting_end()
        if let kept { kill(getpid(), kept) }
    }

    private func wait() {
        while true {
            let signal = pictor_await_end()
            // The lock is held until the end, so that nothing is served meanwhile.
            let (consequence, isOver) = phase.withLock { phase in
                let consequence = phase.take(signal)
                if consequence == .end { end(by: signal) }
                return (consequence, phase.isHandedOver)
            }
            if isOver { return }
            if case .keep(let patience) = consequence { waitForHandOver(of: signal, atMost: patience) }
        }
    }

    /// Returns once the service group has the signal.
    private func waitForHandOver(of signal: Int32, atMost patience: Duration) {
        let limit = DispatchTime.now() + .microseconds(Int(clamping: patience.wholeMicroseconds))
        if handedOver.wait(timeout: limit) == .success { return }
        phase.withLock { phase in
            if !phase.isHandedOver { end(by: signal) }
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
        ServiceNotifier.flush()
        logger.info("stopped")
        log.close()
        // The start goes on in other threads, so no handler of atexit(3) may run.
        _exit(EXIT_SUCCESS)
    }
}
