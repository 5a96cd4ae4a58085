// SPDX-License-Identifier: Apache-2.0
//
//      run(job) ──▶ waiting ──▶ keeper 0 ══ socket ══ pictor decoder
//                   (short)     keeper 1 ══ socket ══ pictor decoder
//                               keeper 2 ══ socket ══ pictor decoder     the spare: idle, takes over at once
//
// A keeper is a thread with one process. It sleeps in poll(2), on the socket and on a wake-up, whether its process is
// idle or busy; so a process that dies is noticed and replaced when it dies, and not when the next job needs it.

package import ImageModel
internal import Kernel
internal import Synchronization

/// The decoder processes: starts, feeds, watches, kills and recycles them.
///
/// **Isolation:** `PoolState` in a `Mutex`, decided inside and acted upon outside; each process belongs to its
/// keeper's thread. The threads keep the pool alive until `shutDown` has ended them.
package final class DecoderPool: Sendable {
    let settings: DecoderPoolSettings
    let report: @Sendable (DecoderEvent) -> Void
    private let state: Mutex<PoolState>
    private let wakeups: [Wakeup]
    private let moments = Mutex(Moments())
    private let nextID = Atomic<UInt64>(1)

    /// What others wait for: the first process, or the end of all.
    private struct Moments {
        var opening: CheckedContinuation<Result<WireHello, DecoderFailure>, Never>?
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private init(
        _ settings: DecoderPoolSettings, wakeups: [Wakeup], report: @escaping @Sendable (DecoderEvent) -> Void
    ) {
        self.settings = settings
        self.wakeups = wakeups
        self.report = report
        state = Mutex(
            PoolState(
                processes: settings.processes, spares: settings.spares, queueLimit: settings.queueLimit))
    }

    /// Starts all processes and waits for the first to be ready, whose hello comes back too.
    ///
    /// - Parameter report: called on the pool's own threads; must not wait.
    /// - Throws: `.unavailable` when none could be started; then none is left.
    package static func start(
        _ settings: DecoderPoolSettings, report: @escaping @Sendable (DecoderEvent) -> Void = { _ in }
    ) async throws(DecoderFailure) -> (pool: DecoderPool, hello: WireHello) {
        let pool: DecoderPool
        do throws(SystemError) {
            var wakeups: [Wakeup] = []
            for _ in 0..<settings.processes + settings.spares { wakeups.append(try Wakeup()) }
            pool = DecoderPool(settings, wakeups: wakeups, report: report)
        } catch {
            throw .unavailable("\(error)")
        }
        let opened = await withCheckedContinuation { continuation in
            pool.moments.withLock { $0.opening = continuation }
            pool.startKeepers()
        }
        switch opened {
        case .success(let hello): return (pool, hello)
        case .failure(let failure):
            await pool.shutDown()
            throw failure
        }
    }

    /// Waits for a process, then for its answer. Cancelling the task gives the job up: it is not begun, or may go on
    /// unheard for `cancelGrace` and is then killed. Either way the answer is `.cancelled`, at once.
    package func run(_ job: DecoderJob) async throws(DecoderFailure) -> Rendered {
        let ticket = Ticket(id: nextID.add(1, ordering: .relaxed).oldValue, job: job)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.await(continuation)
                submit(ticket)
            }
        } onCancel: {
            ticket.settle(.failure(.cancelled))
            if let keeper = state.withLock({ $0.withdraw(ticket) }) { wakeups[keeper].signal() }
        }
        return try answer.get()
    }

    package var status: DecoderPoolStatus { state.withLock { $0.status } }

    /// Takes no more jobs, lets those that run go on for `shutdownGrace`, and returns when no process is left.
    package func shutDown() async {
        let waiting = state.withLock { $0.close() }
        for ticket in waiting { ticket.settle(.failure(.unavailable("shutting down"))) }
        for wakeup in wakeups { wakeup.signal() }
        await withCheckedContinuation { continuation in
            let hasEnded = moments.withLock { moments in
                // Asked under the lock that the last keeper takes, so that neither misses the other.
                let hasEnded = state.withLock { $0.hasEnded }
                if !hasEnded { moments.closing.append(continuation) }
                return hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func startKeepers() {
        for (index, wakeup) in wakeups.enumerated() {
            let keeper = DecoderKeeper(index: index, wakeup: wakeup, pool: self)
            do throws(SystemError) {
                try WorkerThread("decoder-\(index)") { keeper.run() }.detach()
            } catch {
                keeperFailed(index, "\(error)", isFailedStart: true)
                keeperEnded(index)
            }
        }
    }

    private func submit(_ ticket: Ticket) {
        let submission = change { $0.submit(ticket) }
        if case .refused(let failure) = submission { ticket.settle(.failure(failure)) }
    }
}

// MARK: For the keepers

extension DecoderPool {
    /// Decides under the lock; wakes who has got a job after it.
    func change<Value: Sendable>(_ body: (inout PoolState) -> Value) -> Value {
        let (value, woken) = state.withLock { state in
            let value = body(&state)
            return (value, state.assign())
        }
        for keeper in woken { wakeups[keeper].signal() }
        return value
    }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    func duty(of keeper: Int) -> DecoderKeeper.Duty { state.withLock { $0.duty(of: keeper) } }

    func keeperIsReady(_ keeper: Int, _ hello: WireHello) {
        change { $0.hello(keeper, hello) }
        open(.success(hello))
    }

    func keeperFailed(_ keeper: Int, _ words: String, isFailedStart: Bool) {
        let (hopeless, stranded) = change { state in
            let stranded = state.failed(keeper, words, isFailedStart: isFailedStart)
            return (state.isHopeless, stranded)
        }
        for ticket in stranded { ticket.settle(.failure(.unavailable(words))) }
        if hopeless { open(.failure(.unavailable(words))) }
    }

    func keeperEnded(_ keeper: Int) {
        let closing = moments.withLock { moments in
            guard state.withLock({ $0.ended(keeper) }) else { return [CheckedContinuation<Void, Never>]() }
            defer { moments.closing = [] }
            return moments.closing
        }
        for continuation in closing { continuation.resume() }
    }

    private func open(_ result: Result<WireHello, DecoderFailure>) {
        let opening = moments.withLock { moments in
            defer { moments.opening = nil }
            return moments.opening
        }
        opening?.resume(returning: result)
    }
}
