// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import HTTPServer

/// Random walks through the connection's states, with what must hold between any two events.
struct ConnectionWalkTests {
    @Test func `whatever happens in whatever order, a connection holds what its phase says`() {
        var loop = ModelLoop(SeededRandom(for: "connection walk"))
        for step in 0..<100_000 {
            loop.happen()
            guard expectInvariants(of: loop, after: step) else { return }
        }
        #expect(loop.seen == Set(ConnectionState.Phase.allCases))
        #expect(loop.state.generation > 1000)
        let endings: Set<ConnectionState.Ending> = [
            .quiet, .withoutProxyHeader, .unanswered, .delayed, .unsent, .stalled,
        ]
        #expect(Set(loop.closed.keys) == endings, "each kind of end, and no fault")
    }

    @Test func `a drain ends a connection as soon as what has begun is over or late`() {
        var random = SeededRandom(for: "connection drain")
        for _ in 0..<2_000 {
            var loop = ModelLoop(random)
            for _ in 0..<Int.random(in: 1...60, using: &random) { loop.happen() }
            loop.drain()
            var events = 0
            while loop.state.phase != .free, events < 1000 {
                loop.finishTask()
                loop.expire()
                events += 1
            }
            #expect(events < 1000)
            guard expectInvariants(of: loop, after: events) else { return }
        }
    }

    @Test func `a cut ends a connection at once, whatever it is doing`() {
        var random = SeededRandom(for: "connection cut")
        for _ in 0..<2_000 {
            var loop = ModelLoop(random)
            for _ in 0..<Int.random(in: 1...60, using: &random) { loop.happen() }
            loop.cut()
            #expect(loop.state.phase == .free)
            guard expectInvariants(of: loop, after: 0) else { return }
        }
    }

    /// Impossible events are reported too: each of them ends the connection, once.
    @Test func `no order of events leaves a connection without an end or a deadline`() {
        var random = SeededRandom(for: "connection events")
        var state = ConnectionState()
        var isOpen = false
        var hasDeadline = false
        for _ in 0..<200_000 {
            guard let event = ConnectionState.Event.samples.randomElement(using: &random) else { return }
            let action = state.on(event)
            switch action.timer {
            case .keep: break
            case .stop: hasDeadline = false
            case .start: hasDeadline = true
            }
            if action.step == .watch { isOpen = true }
            if case .close = action.step {
                #expect(isOpen, "\(event)")
                isOpen = false
            }
            #expect(isOpen == (state.phase != .free), "\(event)")
            #expect(
                hasDeadline || [.free, .answering, .streaming, .sending].contains(state.phase), "\(event)")
        }
    }

    private func expectInvariants(of loop: ModelLoop, after step: Int) -> Bool {
        let phase = loop.state.phase
        let isBetween = [.holding, .writing].contains(phase)
        let holds: [(Bool, String)] = [
            (loop.faults.isEmpty, "\(loop.faults)"),
            (phase != .sending, "an answer outlasts the iteration in the loop's outbox"),
            (!loop.hasOutput, "the loop's outbox is not empty after an iteration"),
            (loop.hasSocket == (phase != .free), "a socket, and nothing else, makes a connection"),
            (
                (loop.task == nil) == ![.answering, .streaming].contains(phase),
                "a task runs while it is awaited"
            ),
            (loop.task == nil || loop.task == loop.state.generation, "a task of another connection"),
            (loop.isParked == isBetween, "what is unsent is kept while it is to be sent"),
            (loop.delayedRefusals == (phase == .holding ? 1 : 0), "the count of delayed refusals"),
            (
                (loop.timeout == nil) == [.free, .answering, .streaming].contains(phase),
                "a deadline is set but where a task is awaited: \(loop.timeout as Any)"
            ),
        ]
        for (isTrue, what) in holds where !isTrue {
            Issue.record("step \(step), \(phase): \(what)")
            return false
        }
        return true
    }
}
