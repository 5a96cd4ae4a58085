// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// A child process from its start until it has been waited for, with this side's ends of its socket and its standard
/// error.
///
/// **Isolation:** confined to the supervisor's thread. The thread that launched the process's zygote must outlive the
/// process, because the kernel sends the parent-death signal (PR_SET_PDEATHSIG, prctl(2)) when that *thread* ends.
struct WorkerProcess: ~Copyable {
    enum Wake {
        /// There is a message, or the other end is closed.
        case readable
        case woken
        case expired
    }

    let id: pid_t
    /// The number of the zygote that the process was forked from.
    let generation: Int
    let socket: WireSocket
    /// The engine that the handshake names.
    var engine = ""
    private var words: ProcessWords
    private var wordsOpen = true
    private let status: ProcessStatus
    /// Nil if the memory is not measured.
    let memory: ProcessMemory?
    /// The last reading of its memory; nil before the first, and if /proc cannot be read.
    private(set) var reading: ProcessMemory.Reading?
    private let say: @Sendable (DecoderEvent) -> Void

    /// - Parameters:
    ///   - kind: the process's work.
    ///   - isWanted: false if nothing may be started any more.
    ///   - hasInput: waits for input at a socket; false if the start is given up.
    init(
        _ kind: WorkerKind, of zygote: Zygote, measuresMemory: Bool,
        say: @escaping @Sendable (DecoderEvent) -> Void,
        isWanted: () -> Bool, hasInput: (WireSocket) -> Bool
    ) throws(Zygote.Failure) {
        let ends = try Self.ends()
        var words = ProcessWords(ends.words)
        do throws(Zygote.Failure) {
            let fork = try zygote.fork(
                kind, socket: ends.theirs, errors: ends.errors, isWanted: isWanted, hasInput: hasInput)
            (id, generation) = (fork.process, fork.generation)
        } catch {
            if case .lost(let process, _) = error {
                _ = words.drain { say(.said(process: process, line: $0)) }
            }
            throw error
        }
        socket = ends.ours
        self.words = words
        status = ProcessStatus(of: id)
        memory = measuresMemory ? ProcessMemory(of: id, status) : nil
        self.say = say
        // If the process has ended meanwhile, the wait for its handshake notices it.
        try? socket.send(WireStart().encoded)
    }

    private static func ends() throws(Zygote.Failure) -> (
        ours: WireSocket, theirs: WireSocket, words: OwnedDescriptor, errors: OwnedDescriptor
    ) {
        do throws(SystemError) {
            let (ours, theirs) = try WireSocket.pair()
            let (reading, writing) = try pipe()
            return (ours, theirs, reading, writing)
        } catch {
            throw .system(error)
        }
    }

    /// Both ends are non-blocking, so a process whose text nobody reads loses it and does not block.
    private static func pipe() throws(SystemError) -> (reading: OwnedDescriptor, writing: OwnedDescriptor) {
        var ends: [Int32] = [-1, -1]
        guard pictor_pipe(&ends) == 0 else { throw .last("pipe2") }
        return (OwnedDescriptor(adopting: ends[0]), OwnedDescriptor(adopting: ends[1]))
    }

    /// Sleeps until something happens. A message takes precedence over a wake-up, and both over the deadline, so
    /// that an answer in time counts.
    ///
    /// - Parameter answers: false if only the end of the process counts as readable, because messages are for
    ///   others.
    mutating func wait(
        for wakeup: Wakeup, until deadline: SuspendingClock.Instant?, answers: Bool = true
    ) -> Wake {
        while true {
            var interest = [
                pollfd(fd: socket.descriptor.raw, events: answers ? Int16(POLLIN) : 0, revents: 0),
                pollfd(fd: wakeup.descriptor.raw, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: wordsOpen && words.areWanted ? words.descriptor.raw : -1, events: Int16(POLLIN),
                    revents: 0),
            ]
            let count = poll(&interest, nfds_t(interest.count), deadline?.pollTimeout ?? -1)
            if count > 0, interest[2].revents != 0 { listen() }
            if count > 0, interest[0].revents != 0 { return .readable }
            if count > 0, interest[1].revents != 0 {
                wakeup.clear()
                return .woken
            }
            if let deadline, SuspendingClock.now >= deadline { return .expired }
        }
    }

    /// Reads the memory, for which the kernel takes some 10 µs.
    mutating func readMemory() { reading = memory?.reading }

    /// Restarts the measurement of the peak from the bytes that are resident now, which between two jobs are those of the last
    /// reading.
    ///
    /// - Returns: those bytes; nil if the peak cannot be measured.
    mutating func holdPeak() -> Int? {
        guard let memory, memory.restartPeak() else { return nil }
        if reading == nil { readMemory() }
        return reading?.resident
    }

    /// To be called before each job.
    mutating func renewWords() { words.renew() }

    /// Limits the processor time from now on, until the next call; beyond it the kernel sends SIGXCPU. As
    /// long as the supervisor lives, the deadline ends a job earlier.
    func allowProcessorTime(_ time: Duration) {
        _ = pictor_limit_processor_time(id, UInt32(clamping: time.components.seconds + 1))
    }

    /// The processor time that the process has used; nil if it is gone.
    var processorTime: Duration? {
        let used = pictor_processor_time(id)
        return used >= 0 ? .nanoseconds(used) : nil
    }

    /// Whether the first thread would run if the machine let it.
    var firstCouldRun: Bool { status.isHeldUp }

    /// Limits the memory from now on, until the next call; allocations beyond it fail as if there were none
    /// left.
    /// - Parameter most: bytes besides what the process has now; nil = whatever the jail allows.
    func allowMemory(_ most: Int?) {
        guard let most else { return _ = pictor_limit_data(id, 0) }
        guard let held = memory?.reading?.data else { return }
        _ = pictor_limit_data(id, UInt64(clamping: min(most, .max - held) + held))
    }

    private mutating func listen() {
        let (id, say) = (id, say)
        wordsOpen = words.drain { say(.said(process: id, line: $0)) }
    }

    /// Kills the process, if it still lives, and waits for its end, at most for `grace`.
    consuming func kill(grace: Duration) -> ProcessEnd {
        Glibc.kill(id, SIGKILL)
        let end = ProcessEnd(waitingFor: id, atMost: grace)
        if wordsOpen { listen() }
        return end
    }

    /// Closes the socket, which tells the process to leave, and kills it if it has not left within `grace`.
    consuming func retire(grace: Duration) -> ProcessEnd {
        shutdown(socket.descriptor.raw, Int32(SHUT_RDWR))
        _ = hasEnded(within: grace)
        return kill(grace: grace)
    }

    /// Waits for the end; false if the process lives on. True if that cannot be determined.
    func hasEnded(within grace: Duration) -> Bool { ProcessEnd.hasCome(of: id, within: grace) }
}

extension ProcessEnd {
    /// Waits until a child process has ended.
    init(waitingFor process: pid_t) {
        var status: Int32 = 0
        var result: pid_t
        repeat { result = waitpid(process, &status, 0) } while result < 0 && errno == EINTR
        guard result == process else {
            self = .unknown
            return
        }
        // As the macros WIFSIGNALED, WTERMSIG and WEXITSTATUS of wait(2).
        let signal = status & 0x7F
        self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
    }

    /// Like `init(waitingFor:)`, but waits at most `limit`. A hanging disk may hold even a killed process: in state D (proc(5)) it
    /// ends only when its call returns. A thread of its own then waits for such a child, and its end is unknown here.
    init(waitingFor process: pid_t, atMost limit: Duration) {
        let isLate = !Self.hasCome(of: process, within: limit) && Self.awaitElsewhere(process)
        self = isLate ? .unknown : ProcessEnd(waitingFor: process)
    }

    /// Waits for the end of a child process; false if it lives on. True if that cannot be determined.
    static func hasCome(of process: pid_t, within limit: Duration) -> Bool {
        let handle = pictor_pidfd_open(process)
        guard handle >= 0 else { return true }
        let owner = OwnedDescriptor(adopting: handle)
        var interest = pollfd(fd: owner.raw, events: Int16(POLLIN), revents: 0)
        return withExtendedLifetime(owner) {
            poll(&interest, 1, SuspendingClock.now.advanced(by: limit).pollTimeout) != 0
        }
    }

    /// False if no thread can be started for it.
    private static func awaitElsewhere(_ process: pid_t) -> Bool {
        do throws(SystemError) {
            try WorkerThread("late-end") { _ = ProcessEnd(waitingFor: process) }.detach()
            return true
        } catch {
            return false
        }
    }
}

extension SuspendingClock.Instant {
    /// Milliseconds from now for poll(2), at most a day. Rounded up, so that poll(2) never returns just
    /// before this moment.
    var pollTimeout: Int32 {
        let left = SuspendingClock.now.duration(to: self) / .milliseconds(1)
        // Cannot trap: the quotient is finite, and a day of milliseconds fits.
        return Int32(min(max(left.rounded(.up), 0), 86_400_000))
    }
}
