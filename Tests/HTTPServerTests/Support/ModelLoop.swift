// SPDX-License-Identifier: Apache-2.0

import HTTP1
import RandomInputs

@testable import HTTPServer

/// An event loop with one connection slot and no socket: chance plays the kernel, the client and the handler. It carries out the
/// state's steps as `EventLoop` does, and tracks what is held and written.
struct ModelLoop {
    var state = ConnectionState()
    var random: SeededRandom

    // What the slot's connection holds.
    private(set) var hasSocket = false
    private(set) var timeout: ConnectionState.Timeout?
    /// The generation for which a task makes an answer.
    private(set) var task: UInt32?
    /// True if the task makes a piece and not an answer.
    private(set) var makesPiece = false
    /// True if the head of a streamed answer was written, but not its end.
    private(set) var isStreaming = false
    /// True if the connection's outbox holds something.
    private(set) var isParked = false
    private(set) var delayedRefusals = 0
    /// True if the loop's outbox holds something.
    private(set) var hasOutput = false
    /// True if the answer with `Connection: close` was made.
    private(set) var saidLast = false
    /// Belongs to the server, like `messages`.
    private(set) var isDraining = false

    /// Messages of tasks, perhaps for connections that are gone.
    private(set) var messages: [UInt32] = []
    private(set) var closed: [ConnectionState.Ending: Int] = [:]
    private(set) var seen: Set<ConnectionState.Phase> = [.free]
    /// Violations of the invariants.
    private(set) var faults: [String] = []

    init(_ random: SeededRandom) { self.random = random }

    // MARK: What happens

    /// One external event, with everything that follows from it at once.
    mutating func happen() {
        switch Int.random(in: 0..<10, using: &random) {
        case 0 where state.phase == .free && !isDraining:
            tell(.accepted(expectsProxyHeader: random.chance(30)))
        case 1...4: tellReadiness()
        case 5...6: expire()
        case 7: answerLetter()
        case 8 where state.phase != .free: tell(.rescheduled)
        default: finishTask()
        }
    }

    mutating func drain() {
        isDraining = true
        tell(.drain)
    }

    mutating func cut() { tell(.cut) }

    private mutating func tellReadiness() {
        guard state.phase != .free else { return }
        var readiness = ConnectionState.Readiness()
        if random.chance(70) { readiness.insert(.readable) }
        if random.chance(50) { readiness.insert(.writable) }
        if random.chance(5) { readiness.insert(.peerClosed) }
        if random.chance(2) { readiness.insert(.broken) }
        tell(.ready(readiness))
    }

    mutating func expire() {
        guard timeout != nil else { return }
        tell(.expired(hasProgress: random.chance(50)))
        if state.phase == .sending { settle() }
    }

    /// The task's answer goes into the mailbox, even if the task was cancelled.
    mutating func finishTask() {
        guard let generation = task else { return }
        messages.append(generation)
        answerLetter()
    }

    private mutating func answerLetter() {
        // Some messages are delivered twice, because the mailbox does not prevent that.
        guard let generation = messages.randomElement(using: &random) else { return }
        if random.chance(80) { messages.removeAll { $0 == generation } }
        if makesPiece || isStreaming { return answerPiece(generation) }
        let isAwaited = task == generation && hasSocket
        let action = advance(.responded(generation: generation))
        guard case .answer(let isLast) = action.step else {
            check(!isAwaited, "an answer that is awaited was dropped")
            return
        }
        check(isAwaited, "an answer was written that nobody awaits")
        task = nil
        if random.chance(20) { return beginStream(isLast: isLast) }
        put(isLast: isLast)
        if random.chance(10), delay() { return }
        settle()
    }

    private mutating func beginStream(isLast: Bool) {
        let untilClose = random.chance(20)
        put(isLast: isLast || untilClose)
        // A stream announces the close with its end.
        isStreaming = true
        tell(.streamed(isEndless: random.chance(50), untilClose: untilClose))
        settle()
    }

    /// While a stream is open, a message is a piece or the end.
    private mutating func answerPiece(_ generation: UInt32) {
        let isAwaited = makesPiece && task == generation && hasSocket
        if random.chance(30) {
            let hadTask = task
            let action = advance(.endOfStream(generation: generation))
            check(isAwaited == (action.step == .endStream), "the end of a stream: \(action.step)")
            guard action.step == .endStream else { return }
            check(hadTask != nil, "an end without a task")
            return endStream()
        }
        let action = advance(.piece(generation: generation))
        check(isAwaited == (action.step == .sendPiece), "a piece: \(action.step)")
        guard action.step == .sendPiece else { return }
        (task, makesPiece) = (nil, false)
        check(hasSocket && !isParked && !hasOutput && isStreaming, "a piece out of order")
        hasOutput = true
        settle()
    }

    private mutating func endStream() {
        check(isStreaming && hasSocket && !isParked && !hasOutput, "the end of no stream")
        (task, makesPiece, isStreaming) = (nil, false, false)
        // The state decides: a drain makes it the connection's last answer.
        if state.flags.contains(.lastAnswer) { saidLast = true }
        hasOutput = random.chance(80)
        settle()
    }

    // MARK: What the loop does

    private mutating func check(_ holds: Bool, _ what: String) { if !holds { faults.append(what) } }

    private mutating func advance(_ event: ConnectionState.Event) -> ConnectionState.Action {
        let action = state.on(event)
        seen.insert(state.phase)
        switch action.timer {
        case .keep: break
        case .stop: timeout = nil
        case .start(let next): timeout = next
        }
        return action
    }

    private mutating func tell(_ event: ConnectionState.Event) {
        switch advance(event).step {
        case .none, .dropWork: break
        case .markProgress: check(isParked, "progress of nothing")
        case .watch: (hasSocket, saidLast) = (true, false)
        case .read, .takeUpInput: read()
        case .startTask:
            check(task == nil && hasSocket, "two tasks")
            task = state.generation
        case .sendContinue:
            check(!hasOutput && !isParked, "100 Continue overtakes an answer")
            if random.chance(5) { tell(.sendFailed) }
        case .probe:
            check(!hasOutput && !isParked && task != nil, "a probe overtakes an answer, or comes after it")
            if random.chance(20) { tell(.departed) }
        case .answer, .sendPiece: check(false, "an answer without a message")
        case .awaitPiece:
            check(task == nil && hasSocket && isStreaming, "a piece is asked for twice")
            (task, makesPiece) = (state.generation, true)
        case .endStream: endStream()
        case .refuse: put(isLast: true)
        case .park: park()
        case .parkRefusal:
            park()
            delayedRefusals += 1
        case .write: write()
        case .writeRefusal:
            delayedRefusals -= 1
            write()
        case .shutDown:
            check(saidLast && !hasOutput && !isParked && task == nil, "the end before the last answer's")
            read()
        case .close(let ending): close(ending)
        }
    }

    /// Puts an answer into the loop's outbox.
    private mutating func put(isLast: Bool) {
        check(hasSocket && !isParked && !saidLast, "an answer out of order")
        hasOutput = true
        if isLast { saidLast = true }
    }

    private mutating func park() {
        check(hasOutput && !isParked, "nothing to park")
        (hasOutput, isParked) = (false, true)
    }

    private mutating func write() {
        check(isParked, "nothing to write")
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            isParked = false
            tell(.sendFailed)
        case 1...6:
            isParked = false
            tell(.written)
        default: break
        }
    }

    private mutating func close(_ ending: ConnectionState.Ending) {
        check(hasSocket, "closed twice")
        check(ending != .fault, "an event that cannot happen")
        check(
            (task != nil && !makesPiece) == (ending == .unanswered),
            "a task is cancelled if there is one: \(ending)")
        check((delayedRefusals > 0) == (ending == .delayed), "a delayed refusal is given back: \(ending)")
        check(!isParked || [.delayed, .unsent, .stalled].contains(ending), "unsent: \(ending)")
        closed[ending, default: 0] += 1
        // A cancelled task still answers.
        if let task { messages.append(task) }
        (hasSocket, task, isParked, hasOutput, delayedRefusals) = (false, nil, false, false, 0)
        (makesPiece, isStreaming) = (false, false)
    }

    private mutating func read() {
        var rounds = 0
        while state.wantsInput, rounds < 8 {
            rounds += 1
            check(hasSocket && !isParked && task == nil, "read out of order")
            switch Int.random(in: 0..<10, using: &random) {
            case 0: tell(.endOfInput)
            case 1...3: tell(.emptyRead)
            default:
                if random.chance(70) { tell(.shortRead) }
                consume()
                settle()
            }
        }
    }

    private mutating func consume() {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let isPartial = random.chance(30)
            switch state.phase {
            case .greeting:
                if isPartial { return }
                tell(random.chance(90) ? .proxyHeader : .badProxyHeader)
            case .idle, .head:
                if isPartial { return tell(.partialHead) }
                takeUpRequest()
            case .body:
                if isPartial { return }
                tell(random.chance(90) ? .endOfBody : .faulty(.badChunk))
            case .lingering: return tell(.discarded(total: Int.random(in: 0...(2 << 20), using: &random)))
            case .free, .answering, .streaming, .sending, .holding, .writing: return
            }
        }
    }

    private mutating func takeUpRequest() {
        let isLast = state.isLast(keepsAlive: random.chance(90), limit: 20)
        if random.chance(10) { return tell(.faulty(.badField)) }
        if random.chance(60) {
            put(isLast: isLast)
            tell(.answered(isLast: isLast))
            if random.chance(10) { _ = delay() }
            return
        }
        guard flush() else { return }
        tell(
            .awaited(
                isLast: isLast,
                [.none, .expected, .expectedAfterContinue].randomElement(using: &random) ?? .none))
    }

    private mutating func delay() -> Bool {
        guard !isDraining else { return false }
        tell(.delayed(microseconds: 1))
        return true
    }

    private mutating func flush() -> Bool {
        guard hasOutput else { return true }
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            hasOutput = false
            tell(.sendFailed)
        case 1...2: tell(.blocked)
        default:
            hasOutput = false
            return true
        }
        return false
    }

    private mutating func settle() { if flush() { tell(.flushed) } }
}
