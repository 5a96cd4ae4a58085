// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Glibc
internal import Kernel
internal import Synchronization

/// One job in the pool, and the caller that waits for it.
///
/// **Isolation:** the caller's state and the job's history are in a `Mutex`; the ticket is settled once, by
/// whoever comes first.
final class JobTicket<Job: WorkerJob>: Sendable {
    typealias Answer = Result<Job.Output, DecoderFailure>

    private struct Caller {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
        var hasHadSecondChance = false
        /// The number of processes that were killed from outside while they had the job.
        var kills = 0
        /// The time of the job's deadline; nil until a process has had the job.
        var end: SuspendingClock.Instant?
    }

    /// The result of sending the message to a process.
    enum Dispatch {
        case sent
        /// The process has died or misbehaves, and its supervisor is about to end it.
        case unreachable
        /// The job's files could not be opened.
        case failed(SystemError)
        /// Nobody waits for the job any more.
        case needless
        /// The process answered at once; the answer goes to the caller on its own thread.
        case answered(Answer)
        /// The process sent a message that is no answer.
        case nonsense
    }

    let id: UInt64
    let job: Job
    private let caller = Mutex(Caller())
    /// Locked while the message is being sent, so that a second sender learns the result of the first.
    private let delivery = Mutex(Delivery())

    /// The process that has the job now, and the result of sending.
    private struct Delivery {
        var socket: WireSocket?
        var dispatch: Dispatch?
    }
    /// The longest time that a caller waits on its own thread, in milliseconds.
    private static var timeout: Int32 { 1 }

    init(id: UInt64, job: Job) {
        self.id = id
        self.job = job
    }

    /// True once the caller has its answer, so that nobody waits any more.
    var isSettled: Bool { caller.withLock { $0.answer != nil } }

    func await(_ continuation: CheckedContinuation<Answer, Never>) {
        let early = caller.withLock { caller -> Answer? in
            if caller.answer == nil { caller.continuation = continuation }
            return caller.answer
        }
        if let early { continuation.resume(returning: early) }
    }

    /// Sends the job over this socket and waits a moment for the answer, on the caller's thread.
    func ask(over socket: WireSocket, _ settings: WorkerPoolSettings) -> Dispatch {
        delivery.withLock { delivery in
            // The supervisor may have sent the job first, and the process may have been replaced since.
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

    /// Nil for a message that is no answer to this job.
    func read(_ message: [UInt8]) -> Answer? {
        job.answer(in: message, id: id)?.mapError { .refused($0) }
    }

    /// Sends the job over this socket, unless it was sent already.
    func send(over socket: WireSocket, _ settings: WorkerPoolSettings) -> Dispatch {
        delivery.withLock { delivery in
            if let dispatch = delivery.dispatch { return dispatch }
            let result = isSettled ? .needless : sent(over: socket, settings)
            delivery.dispatch = result
            return result
        }
    }

    private func sent(over socket: WireSocket, _ settings: WorkerPoolSettings) -> Dispatch {
        // A process that speaks without being asked is broken: its next message would be taken for the
        // answer.
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

    /// Records that the job goes to this process, to which nothing was sent yet.
    func assign(to socket: WireSocket) { delivery.withLock { $0 = Delivery(socket: socket) } }

    /// How long a process has had the job; nil if none has.
    var running: Duration? {
        let left = caller.withLock { $0.end.map { SuspendingClock.now.duration(to: $0) } }
        return left.map { job.deadline - $0 }
    }

    /// The moment from which the job's time counts; nil if no process has had the job.
    var begun: SuspendingClock.Instant? {
        caller.withLock { $0.end }?.advanced(by: Duration.zero - job.deadline)
    }

    /// Records that a process has the job now.
    ///
    /// - Returns: the moment of the job's deadline.
    func begin() -> SuspendingClock.Instant {
        caller.withLock { caller in
            let end = caller.end ?? SuspendingClock.now.advanced(by: job.deadline)
            caller.end = end
            return end
        }
    }

    /// True once, while somebody waits: the job may then be given to another process with its full time.
    func takeSecondChance() -> Bool {
        let isFirst = caller.withLock { caller in
            guard caller.answer == nil, !caller.hasHadSecondChance else { return false }
            caller.hasHadSecondChance = true
            caller.end = nil
            return true
        }
        return isFirst && job.restart()
    }

    /// Records that the process was killed for another reason than the job. True if another process may have
    /// the job for the rest of its time: somebody waits, the time is not up, and kills are not too frequent.
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

/// How often a job may lose its process to an external signal.
enum JobKills {
    /// If one job in ten loses its process (because the machine is out of memory, or an operator kills
    /// decoders), only one in a hundred thousand reaches this limit. A picture that makes the kernel kill
    /// each of its decoders ends here.
    static let most = 5
}
