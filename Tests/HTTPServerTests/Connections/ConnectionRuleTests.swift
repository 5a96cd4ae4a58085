// SPDX-License-Identifier: Apache-2.0

import HTTP1
import Testing

@testable import HTTPServer

/// What a connection's state remembers from one event to a later one.
struct ConnectionRuleTests {
    private let accepted = ConnectionState.Event.accepted(expectsProxyHeader: false)
    private let readable = ConnectionState.Event.ready(.readable)

    // MARK: Size

    @Test func `an idle connection is one cache line`() {
        #expect(MemoryLayout<ConnectionState>.size <= 10)
        #expect(MemoryLayout<Connection>.stride == 64)
    }

    @Test func `an action is no larger than what registers return`() {
        #expect(MemoryLayout<ConnectionState.Action>.size <= 4 * MemoryLayout<Int>.size)
    }

    // MARK: Deadlines

    @Test func `the first head has its time from accept, a later one from its first byte`() {
        var state = ConnectionState(after: accepted)
        #expect(state.on(.partialHead).timer == .keep)
        state = ConnectionState(in: .idle)
        #expect(state.on(.partialHead).timer == .start(.head))
        #expect(state.on(.partialHead).timer == .keep, "a head that trickles in does not move it")
    }

    @Test func `a proxy's header does not move the first head's deadline`() {
        var state = ConnectionState(in: .greeting)
        #expect(state.on(.proxyHeader).timer == .keep)
        #expect(state.on(.flushed).timer == .keep)
    }

    // MARK: Reading

    @Test func `it is read from until the socket is empty`() {
        var state = ConnectionState(after: accepted)
        #expect(!state.wantsInput)
        _ = state.on(readable)
        #expect(state.wantsInput)
        _ = state.on(.shortRead)
        #expect(!state.wantsInput)
    }

    @Test func `after the peer has closed its side, it is read from to the end`() {
        var state = ConnectionState(after: accepted, .ready([.readable, .peerClosed]), .shortRead)
        #expect(state.wantsInput)
        _ = state.on(.answered(isLast: false))
        _ = state.on(.flushed)
        #expect(state.on(.endOfInput).step == .close(.quiet))
    }

    @Test(arguments: [ConnectionState.Phase.free, .answering, .sending, .holding, .writing])
    func `nothing is read while an answer is awaited or does not fit`(phase: ConnectionState.Phase) {
        var state = ConnectionState(in: phase)
        if phase != .sending { _ = state.on(readable) }
        #expect(!state.wantsInput)
    }

    @Test func `what came meanwhile is read once the answer is out`() {
        var state = ConnectionState(in: .writing)
        _ = state.on(readable)
        #expect(state.on(.written).step == .takeUpInput)
        #expect(state.wantsInput)
    }

    @Test func `what follows the last request is not kept, its own body is`() {
        var state = ConnectionState(in: .idle)
        #expect(state.keepsInput)
        _ = state.on(.awaited(isLast: true, .expected))
        #expect(state.keepsInput)
        _ = state.on(.endOfBody)
        #expect(!state.keepsInput)
        #expect(!ConnectionState(in: .lingering).keepsInput)
    }

    @Test(arguments: [ConnectionState.Event.rescheduled, .ready(.writable)])
    func `a client that had closed its side is asked once whether it still reads`(
        event: ConnectionState.Event
    ) {
        var state = ConnectionState(in: .idle)
        #expect(!state.hasHalfClosedPeer)
        _ = state.on(.ready([.readable, .peerClosed]))
        _ = state.on(.awaited(isLast: false, .none))
        #expect(state.hasHalfClosedPeer)
        #expect(state.on(event).step == .probe)
        #expect(state.on(event).step == .none)
        #expect(state.on(.ready(.broken)).step == .close(.unanswered))
    }

    @Test func `each connection of a slot is asked anew`() {
        var state = ConnectionState(in: .answering)
        #expect(state.on(.ready(.peerClosed)).step == .probe)
        for event in [.departed, accepted, .awaited(isLast: false, .none)] as [ConnectionState.Event] {
            _ = state.on(event)
        }
        #expect(state.on(.rescheduled).step == .none, "its peer has closed nothing")
        #expect(state.on(.ready(.peerClosed)).step == .probe)
    }

    // MARK: The last answer

    @Test func `the connection's share of requests, the client and a drain make a request the last`() {
        var state = ConnectionState(after: accepted)
        #expect(!state.isLast(keepsAlive: true, limit: 2))
        #expect(state.isLast(keepsAlive: false, limit: 2))
        #expect(state.isLast(keepsAlive: true, limit: 1))
        _ = state.on(.answered(isLast: false))
        #expect(state.isLast(keepsAlive: true, limit: 2))
        #expect(!state.isLast(keepsAlive: true, limit: 3))
        _ = state.on(.drain)
        #expect(state.isLast(keepsAlive: true, limit: 3))
    }

    @Test(arguments: [ConnectionState.Event.flushed, .blocked, .delayed(microseconds: 1)])
    func `after the last answer, the connection lingers, however the answer left`(
        how: ConnectionState.Event
    ) {
        var state = ConnectionState(in: .idle)
        _ = state.on(.answered(isLast: true))
        var action = state.on(how)
        if state.phase == .holding { action = state.on(.expired(hasProgress: false)) }
        if state.phase == .writing { action = state.on(.written) }
        #expect(action == .init(step: .shutDown, timer: .start(.linger)))
        #expect(state.phase == .lingering)
    }

    @Test func `the answer that a drain finds being made is the last`() {
        var state = ConnectionState(in: .answering)
        _ = state.on(.drain)
        #expect(state.on(.responded(generation: 1)).step == .answer(isLast: true))
    }

    // MARK: Draining

    @Test(arguments: [ConnectionState.Phase.idle, .greeting])
    func `a drain waits a little for a request that is on its way, and closes where there is none`(
        phase: ConnectionState.Phase
    ) {
        var state = ConnectionState(in: phase)
        #expect(state.on(.drain) == .init(step: .read, timer: .start(.farewell)))
        #expect(state.wantsInput)
        #expect(state.on(.emptyRead) == .init())
        #expect(state.on(.expired(hasProgress: false)).step == .close(.quiet))
    }

    @Test func `a proxy's header is no request, and does not move the drain's deadline`() {
        var state = ConnectionState(in: .greeting)
        for event in [.drain, .shortRead, .proxyHeader, .flushed] as [ConnectionState.Event] {
            let timer = state.on(event).timer
            #expect(timer == .keep || event == .drain)
        }
        #expect(state.on(.expired(hasProgress: false)).step == .close(.quiet))
    }

    @Test func `a request that comes after the drain's begin is answered, as the last`() {
        for before in [ConnectionState(after: accepted), ConnectionState(in: .idle)] {
            var state = before
            for event in [.drain, .emptyRead, readable] as [ConnectionState.Event] { _ = state.on(event) }
            #expect(state.wantsInput && state.isLast(keepsAlive: true, limit: 9))
            #expect(state.on(.partialHead).timer == .start(.head), "a head has its whole time")
            _ = state.on(.answered(isLast: true))
            #expect(state.on(.flushed).step == .shutDown)
        }
    }

    @Test func `a request that a drain finds begun may go on`() {
        var state = ConnectionState(in: .idle)
        for event in [.drain, .shortRead, .partialHead, .flushed] as [ConnectionState.Event] {
            #expect(state.on(event).step != .close(.quiet))
        }
        #expect(state.phase == .head)
    }

    @Test func `after an answer that a drain found being written, it looks for a request once more`() {
        var state = ConnectionState(in: .writing)
        _ = state.on(.drain)
        #expect(state.on(.written) == .init(step: .takeUpInput, timer: .start(.farewell)))
        #expect(state.wantsInput)
        #expect(state.on(.emptyRead) == .init())
    }

    // MARK: Generations

    @Test func `what came before both sides were shut is read to its end`() {
        var state = ConnectionState(in: .lingering)
        #expect(state.on(.ready([.readable, .peerClosed, .broken])).step == .read)
        for event in [.shortRead, .discarded(total: 5)] as [ConnectionState.Event] { _ = state.on(event) }
        #expect(state.wantsInput)
        #expect(state.on(.endOfInput).step == .close(.quiet))
    }

    @Test func `an answer for an earlier connection is not written to a later one`() {
        var state = ConnectionState(in: .answering)
        _ = state.on(.ready(.broken))
        for event in [accepted, .awaited(isLast: false, .none)] { _ = state.on(event) }
        #expect(state.generation == 2)
        #expect(state.on(.responded(generation: 1)) == .init())
        #expect(state.on(.responded(generation: 2)).step == .answer(isLast: false))
    }

    @Test func `a new connection inherits nothing`() {
        var state = ConnectionState(in: .writing)
        for event in [.drain, .ready([.readable, .peerClosed]), .cut, accepted] as [ConnectionState.Event] {
            _ = state.on(event)
        }
        #expect(state.requests == 0)
        #expect(!state.wantsInput)
        #expect(!state.isLast(keepsAlive: true, limit: 2))
        #expect(state.isCurrent(2) && !state.isCurrent(1))
    }
}
