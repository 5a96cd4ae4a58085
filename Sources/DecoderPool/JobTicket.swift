// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Glibc
internal import Kernel
internal import Synchronization

/// One job on its way through the pool, and the caller that waits for it.
///
/// **Isolation:** the caller's side and what the job has been through in a `Mutex`; settled once, whoever
/// comes first.
final class JobTicket<Job: WorkerJob>: Sendable {
    typealias Answer = Result<Job.Output, DecoderFailure>

    private struct Caller {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
        var hasHadSecondChance = false
        /// Processes that were killed from outside while they had the job.
        var kills = 0
        /// The job's deadline; nil until a process has had the job.
        var end: SuspendingClock.Instant?
    }

    /// How the message found its way to a process.
    enum Dispatch {
        case sent
        /// The process has died or gone mad, and its supervisor is about to end it.
        case unreachable
        /// The job's files could not be opened.
        case failed(SystemError)
        /// Nobody waits for it any more.
        case needless
        /// The answer goes to the caller, on the caller's own thread.
        case answered(Answer)
        /// The process sent something that is no answer.
        case nonsense
    }

    let id: UInt64
    let job: Job
    private let caller = Mutex(Caller())
    /// Held while the message is being sent, so that whoever comes second learns what came of it.
    private let delivery = Mutex(Delivery())

    /// How the job reaches the process that has it now.
    private struct Delivery {
        var socket: WireSocket?
        var dispatch: Dispatch?
    }
    /// Milliseconds that a caller waits on its own thread.
    private static var timeout: Int32 { 1 }

    init(id: UInt64, job: Job) {
        self.id = id
        self.job = job
    }

    /// True from the moment the caller has its answer: nobody waits any more.
    var isSettled: Bool { caller.withLock { $0.answer != nil } }

    func await(_ continuation: CheckedContinuation<Answer, Never>) {
        let early = caller.withLock { caller -> Answer? in
            if caller.answer == nil { caller.continuation = continuation }
            return caller.answer
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Sends the job over there and waits a moment for the answer, on the caller's thread.
    func ask(over socket: WireSocket, _ settings: DecoderPoolSettings) -> Dispatch {
        delivery.withLock { delivery in
            // The supervisor may have been first, and the process may have been replaced since.
            guard delivery.socket?.descriptor === socket.descriptor else { return .sent }
            if let dispatch = delivery.dispatch { return dispatch }
            var result = sent(over: socket, settings)
            if case .sent = result, let answer = answer(over: socket) { result = answer }
            delivery.dispatch = result
            return result
        }
    }

    /// Nil if no answer comes in time, or if the process ends, which is left to its supervisor.
    private func answer(over socket: WireSocket) -> Dispatch? {
        guard socket.awaitInput(milliseconds: Self.timeout) == Int16(POLLIN),
            case .message(let bytes, _)? = try? socket.receive(limit: Job.longestAnswer)
        else { return nil }
        return read(bytes).map { .answered($0) } ?? .nonsense
    }

    /// Nil for a message that is no answer to the job.
    func read(_ message: [UInt8]) -> Answer? {
        job.answer(in: message, id: id)?.mapError { .refused($0) }
    }

    /// Sends the job over there, unless that has been done.
    func send(over socket: WireSocket, _ settings: DecoderPoolSettings) -> Dispatch {
        delivery.withLock { delivery in
            if let dispatch = delivery.dispatch { return dispatch }
            let result = isSettled ? .needless : sent(over: socket, settings)
            delivery.dispatch = result
            return result
        }
    }

    private func sent(over socket: WireSocket, _ settings: DecoderPoolSettings) -> Dispatch {
        // It speaks unasked: what it says next would be taken for the answer.
        if socket.hasInput { return .unreachable }
        do throws(SystemError) {
            let descriptors = try job.descriptors
            do throws(SystemError) {
                try socket.send(job.message(id: id, settings), descriptors: descriptors)
                return .sent
            } catch {
                return .unreachable
            }
        } catch {
            return .failed(error)
        }
    }

    /// A process is to have it, to which nothing was sent yet.
    func assign(to socket: WireSocket) { delivery.withLock { $0 = Delivery(socket: socket) } }

    /// For how long a process has had the job; nil before.
    var running: Duration? {
        let left = caller.withLock { $0.end.map { SuspendingClock.now.duration(to: $0) } }
        return left.map { job.deadline - $0 }
    }

    /// The moment from which the job's time counts; nil if no process has had it.
    var begun: SuspendingClock.Instant? {
        caller.withLock { $0.end }?.advanced(by: Duration.zero - job.deadline)
    }

    /// A process has the job now.
    ///
    /// - Returns: the moment at which its time is up.
    func begin() -> SuspendingClock.Instant {
        caller.withLock { caller in
            let end = caller.end ?? SuspendingClock.now.advanced(by: job.deadline)
            caller.end = end
            return end
        }
    }

    /// True once, while somebody waits: the job may be given to another process, as if none had seen it.
    func takeSecondChance() -> Bool {
        let isFirst = caller.withLock { caller in
            guard caller.answer == nil, !caller.hasHadSecondChance else { return false }
            caller.hasHadSecondChance = true
            caller.end = nil
            return true
        }
        return isFirst && job.restart()
    }

    /// The process was killed, and not for the job. True while somebody waits, the job's time is not up,
    /// and killing has not become the rule: another process may have it, for what is left of its time.
    func survivesKill() -> Bool {
        let survives = caller.withLock { caller in
            caller.kills += 1
            return caller.answer == nil && caller.kills < JobKills.most
                && caller.end.map { SuspendingClock.now < $0 } ?? true
        }
        return survives && job.restart()
    }

    func settle(_ answer: Answer) {
        let waiting = caller.withLock { caller -> CheckedContinuation<Answer, Never>? in
            guard caller.answer == nil else { return nil }
            caller.answer = answer
            defer { caller.continuation = nil }
            return caller.continuation
        }
        waiting?.resume(returning: answer)
    }
}

/// How often a job may lose its process to somebody else's signal.
enum JobKills {
    /// Where one job in ten loses its process (a machine out of memory, an operator who shoots at
    /// decoders), one in a hundred thousand comes this far; a picture that brings the kernel's killer upon
    /// its decoder each time ends here.
    static let most = 5
}
