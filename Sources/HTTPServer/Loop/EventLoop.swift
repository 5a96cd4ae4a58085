// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import HTTP1
internal import HTTPSemantics
internal import Kernel

/// A reactor on epoll(7), with one thread's share of a server's connections: it waits for its sockets, reads, answers, writes, and
/// keeps the deadlines. Each connection's `ConnectionState` decides what happens next; the loop reports events to it
/// (`EventLoop+Connection.swift`) and carries out its steps.
///
/// Sockets are registered once, edge-triggered, for both directions; after that the loop only calls epoll_wait(2).
///
/// **Isolation:** confined to its thread. Others reach it through its `Mailbox` alone.
struct EventLoop: ~Copyable {
    let state: ServerState
    let epoll: OwnedDescriptor
    let mailbox: Mailbox
    var listeners: [Listener]
    var connections: ConnectionTable
    var wheel: TimerWheel
    var outbox = Outbox()
    var dateLine = DateLine()
    /// The read buffer of all sockets. One is enough, because bytes that must wait are copied.
    let buffer: UnsafeMutableRawBufferPointer
    /// The events of epoll_wait(2). Too large for the stack, and needed too often to be allocated each time.
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// Wall-clock time and `Clock.microseconds`, read once after each wait.
    var now: Timestamp
    var ticks: Int64
    let epoch: Int64
    /// Set once the server drains: when the loop must end.
    var drainDeadline: Int64?
    /// Until when accepting is paused; nil if it is not.
    var acceptAgain: Int64?
    /// A descriptor in reserve: closed to accept and refuse one connection when descriptors have run out.
    var reserve: Int32
    var refusalLimiter: RefusalLimiter
    var requestNumbers = RequestNumbers()
    /// Connections whose refusal waits for its time.
    var delayedRefusals = 0
    /// Connections that had more to read or write than their share of an iteration.
    var unfinished: [(slot: Int, generation: UInt32)] = []
    /// Slots whose tick has come but whose deadline was not checked yet.
    var due: [Int] = []

    /// Changed by a message between two iterations, as the handler is.
    private(set) var configuration: HTTPServerConfiguration
    private(set) var handler: any RequestHandler
    private(set) var mayRefuse: Bool
    private(set) var startsAtOnce: Bool
    /// Answers at hand that were asked for, and tasks that were started on this thread, in this iteration.
    var startedAtOnce = 0

    /// The slot of the mailbox's events. Events that belong to no connection have generation 0, and this number or a listener's index
    /// as slot.
    private static let mailboxSlot = Int(UInt32.max)
    private static let eventsPerWait = 256
    /// Reads of one connection before others go on: 256 KiB.
    static let readsPerIteration = 8
    /// Connections accepted in one iteration, at some 10 µs each.
    static let acceptsPerIteration = 4
    /// Answers at hand that may be asked for, and tasks that may start on this thread, in one iteration, at some 50 µs each. Further
    /// tasks start on Swift's own threads.
    static let startsPerIteration = 4
    /// Bytes of the longest target for which this is done: reading a longer one would keep other connections waiting.
    static let longestTargetAtOnce = 2_048
    /// The thread's time slice in nanoseconds: shorter than that of other threads, 0.7 ms on one core and more on several.
    private static let slice: UInt64 = 500_000
    /// The reach of the wheel: 102 s at 100 ms, so that most deadlines are within one round.
    private static let wheelBuckets = 1024

    init(_ parts: LoopParts, state: ServerState) {
        self.state = state
        configuration = state.configuration
        handler = state.handler
        mayRefuse = state.handler.mayRefuse
        startsAtOnce = state.handler.startsAtOnce
        epoll = parts.epoll
        mailbox = parts.mailbox
        listeners = parts.listeners
        connections = ConnectionTable(capacity: state.configuration.maximumConnections)
        wheel = TimerWheel(slots: Self.wheelBuckets, keys: state.configuration.maximumConnections)
        refusalLimiter = RefusalLimiter(
            interval: state.configuration.refusalInterval, atOnce: state.configuration.refusalsAtOnce,
            longest: state.configuration.longestHold)
        let size = max(32_768, state.configuration.limits.headBytes)
        buffer = .allocate(byteCount: size, alignment: 64)
        events = .allocate(capacity: Self.eventsPerWait)
        events.initialize(repeating: epoll_event())
        now = Clock.now()
        ticks = Clock.microseconds()
        epoch = ticks
        reserve = Self.openReserve()
    }

    deinit {
        buffer.deallocate()
        events.deallocate()
        if reserve >= 0 { close(reserve) }
    }

    /// Runs the loop until the server has drained.
    mutating func run() {
        // With its shorter slice the thread runs before transfers and decoders when it wakes, so that clients do not wait for their
        // slices. Most iterations are shorter than the slice.
        _ = pictor_take_short_turns(Self.slice)
        watch(mailbox.descriptor.raw, slot: Self.mailboxSlot, events: EPOLLIN.rawValue)
        startAccepting()
        while !isDone { iterate() }
        for slot in 0..<connections.used { handle(slot, .cut) }
        mailbox.close()
    }

    private var isDone: Bool {
        guard let drainDeadline else { return false }
        return connections.count == 0 || ticks >= drainDeadline
    }

    private mutating func iterate() {
        let timeout = waitTimeout
        // Never nil, because it is allocated. glibc 2.41 declares the parameter as non-null.
        guard let ready = events.baseAddress else { return }
        // Cannot trap: a constant.
        let count = epoll_wait(epoll.raw, ready, Int32(events.count), timeout)
        now = Clock.now()
        ticks = Clock.microseconds()
        let messages = mailbox.take()
        startedAtOnce = 0
        for event in events.prefix(max(Int(count), 0)) {
            let slot = Int(event.data.u64 & 0xFFFF_FFFF)
            // Cannot trap: 32 bits are left.
            let generation = UInt32(event.data.u64 >> 32)
            if generation != 0 {
                guard connections.isCurrent(slot, generation) else { continue }
                handle(slot, .ready(.init(epoll: event.events)))
            } else if slot == Self.mailboxSlot {
                mailbox.clear()
            } else {
                acceptSome(from: slot)
            }
        }
        read(messages)
        // Tasks that ran on this thread without waiting have posted their answers by now.
        if startedAtOnce > 0 { read(mailbox.take()) }
        resumeUnfinished()
        keepDeadlines()
    }

    /// Milliseconds for epoll_wait(2): until the next tick, or -1 for no limit if nothing waits for time to pass.
    private var waitTimeout: Int32 {
        guard unfinished.isEmpty, due.isEmpty, mailbox.fallAsleep() else { return 0 }
        let waits = wheel.count > 0 || drainDeadline != nil || acceptAgain != nil
        // Cannot trap: a constant of milliseconds.
        return waits ? Int32(configuration.tick) : -1
    }

    private mutating func read(_ messages: [LoopMessage]) {
        for message in messages {
            switch message {
            case .answer(let slot, let generation, let response):
                let step = advance(slot, .responded(generation: generation))
                if case .answer(let isLast) = step {
                    deliver(response, to: slot, isLast: isLast)
                } else {
                    perform(step, on: slot)
                }
            case .piece(let slot, let generation, let piece):
                guard let piece else {
                    handle(slot, .endOfStream(generation: generation))
                    continue
                }
                let step = advance(slot, .piece(generation: generation))
                if case .sendPiece = step { send(piece, on: slot) } else { perform(step, on: slot) }
            case .rules(let new, let rules, let taken):
                (handler, mayRefuse, startsAtOnce) = (new, new.mayRefuse, new.startsAtOnce)
                configuration.takeLive(from: rules)
                taken()
            case .drain(let deadline): drain(by: deadline)
            }
        }
    }

    private mutating func resumeUnfinished() {
        guard !unfinished.isEmpty else { return }
        let list = unfinished
        unfinished.removeAll(keepingCapacity: true)
        for (slot, generation) in list where connections.isCurrent(slot, generation) {
            handle(slot, .rescheduled)
        }
    }

    /// Registers a descriptor with epoll. Its events carry the slot and the generation; generation 0 is for descriptors that are no
    /// connection.
    mutating func watch(_ descriptor: Int32, slot: Int, generation: UInt32 = 0, events: UInt32) {
        var event = epoll_event()
        event.events = events
        // Cannot trap: a slot is an index.
        event.data.u64 = UInt64(generation) << 32 | UInt64(slot)
        // Fails only for lack of kernel memory or watches; the connection's deadline ends it then.
        epoll_ctl(epoll.raw, EPOLL_CTL_ADD, descriptor, &event)
    }
}

extension ConnectionState.Readiness {
    @inline(__always)
    fileprivate init(epoll events: UInt32) {
        self = []
        if events & EPOLLIN.rawValue != 0 { insert(.readable) }
        if events & EPOLLOUT.rawValue != 0 { insert(.writable) }
        if events & EPOLLRDHUP.rawValue != 0 { insert(.peerClosed) }
        if events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { insert(.broken) }
    }
}
