// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Kernel
internal import Synchronization

/// What the supervisors tell the pool, and ask it.
extension WorkerPool {
    func takeLoans(of supervisor: Int) -> Int { state.withLock { $0.takeLoans(of: supervisor) } }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    func duty(of supervisor: Int) -> Supervisor<Job>.Duty { state.withLock { $0.duty(of: supervisor) } }

    /// - Parameter generation: the number of the process's zygote.
    func supervisorIsReady(
        _ supervisor: Int, _ handshake: WireHandshake, of generation: Int, over socket: WireSocket,
        memory: ProcessMemory?
    ) {
        greetings.withLock { _ in
            // Before the new engine is reported, the processes of former engines are taken out of service, because they
            // would refuse jobs that are keyed by the new one.
            let (former, outdated) = state.withLock {
                $0.takeEngine(handshake.engine, of: generation, by: supervisor)
            }
            for other in outdated { wakeups[other].signal() }
            // Reported before any process with it may have a job, so that the job can be keyed by it.
            if let former { report(.engineChanged(from: former, to: handshake.engine)) }
            change { $0.handshake(supervisor, handshake, over: socket, memory: memory) }
            // Only the first engine is returned from `start`; later ones are reported.
            open(.success(handshake))
        }
    }

    func supervisorFailed(_ supervisor: Int, _ words: String, isFailedStart: Bool) {
        let (hopeless, stranded) = change { state in
            let stranded = state.failed(supervisor, words, isFailedStart: isFailedStart)
            return (state.isHopeless, stranded)
        }
        for ticket in stranded { ticket.settle(.failure(.unavailable(words))) }
        if hopeless { open(.failure(.unavailable(words))) }
    }

    /// Ends the wait for the first process at once, because every other process would lack the same measures.
    func jailLacks(_ names: [String]) { open(.failure(.jailLacks(names))) }

    func supervisorEnded(_ supervisor: Int) {
        // Before the end of all processes is announced, because the zygote is one of them.
        zygote.leave()
        let (closing, stranded) = waiters.withLock { waiters in
            let (isLast, stranded) = state.withLock { $0.ended(supervisor) }
            guard isLast else { return ([CheckedContinuation<Void, Never>](), stranded) }
            defer { waiters.closing = [] }
            return (waiters.closing, stranded)
        }
        for ticket in stranded { ticket.settle(.failure(.unavailable("shutting down"))) }
        for continuation in closing { continuation.resume() }
    }

    private func open(_ result: Result<WireHandshake, DecoderFailure>) {
        let opening = waiters.withLock { waiters in
            defer { waiters.opening = nil }
            return waiters.opening
        }
        opening?.resume(returning: result)
    }
}
