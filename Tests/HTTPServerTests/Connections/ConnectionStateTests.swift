// SPDX-License-Identifier: Apache-2.0

import HTTP1
import Testing

@testable import HTTPServer

/// Every phase with every event: listed events have their transition, and all others end the connection as a fault of the loop's.
struct ConnectionStateTests {
    typealias Phase = ConnectionState.Phase
    typealias Event = ConnectionState.Event
    typealias Step = ConnectionState.Step
    typealias Timer = ConnectionState.Timer

    /// One arrow of the diagram.
    struct Transition {
        let event: Event
        let next: Phase
        var step = Step.none
        var timer = Timer.keep

        init(_ event: Event, _ next: Phase, _ step: Step = .none, _ timer: Timer = .keep) {
            (self.event, self.next, self.step, self.timer) = (event, next, step, timer)
        }

        static func end(_ event: Event, _ ending: ConnectionState.Ending) -> Transition {
            Transition(event, .free, .close(ending), .stop)
        }
    }

    // MARK: The table

    @Test(arguments: Phase.allCases) func `each phase answers each event as the table says`(phase: Phase) {
        let state = ConnectionState(in: phase)
        #expect(state.phase == phase)
        for event in Event.samples {
            var after = state
            let action = after.on(event)
            let arrows = Self.arrows(from: phase) + Self.late(in: phase) + Self.progressed(in: phase)
            let arrow = arrows.first { $0.event == event }
            switch (arrow, phase) {
            case (let arrow?, _):
                #expect(after.phase == arrow.next, "\(phase), \(event)")
                #expect(action == .init(step: arrow.step, timer: arrow.timer), "\(phase), \(event)")
            // A free slot ignores the event.
            case (nil, .free):
                #expect(after.phase == .free, "\(event)")
                #expect(action == .init(), "\(event)")
            case (nil, _):
                #expect(after.phase == .free, "\(phase), \(event)")
                #expect(action == .init(step: .close(.fault), timer: .stop), "\(phase), \(event)")
            }
        }
    }

    @Test func `the samples leave out no event`() {
        #expect(Set(Event.samples.map(\.kind)) == Set(EventKind.allCases))
    }

    private static func arrows(from phase: Phase) -> [Transition] {
        switch phase {
        case .free:
            [
                Transition(.accepted(expectsProxyHeader: false), .idle, .watch, .start(.head)),
                Transition(.accepted(expectsProxyHeader: true), .greeting, .watch, .start(.head)),
            ]
        case .greeting:
            reading(.greeting) + [
                Transition(.proxyHeader, .idle), .end(.badProxyHeader, .withoutProxyHeader),
                .end(.expired(hasProgress: false), .withoutProxyHeader),
                Transition(.drain, .greeting, .read, .start(.farewell)),
            ]
        case .idle:
            reading(.idle) + heads + [
                Transition(.partialHead, .head, .none, .start(.head)),
                Transition(
                    .delayed(microseconds: 5), .holding, .parkRefusal, .start(.refusal(microseconds: 5))),
                Transition(.flushed, .idle, .dropWork, .start(.idle)),
                .end(.expired(hasProgress: false), .quiet),
                Transition(.drain, .idle, .read, .start(.farewell)),
            ]
        case .head:
            reading(.head) + heads + [
                Transition(.partialHead, .head),
                Transition(.expired(hasProgress: false), .sending, .refuse(.headTimedOut)),
                Transition(.drain, .head),
            ]
        case .body:
            reading(.body) + [
                Transition(.endOfBody, .answering, .startTask, .stop),
                Transition(.faulty(.badChunk), .sending, .refuse(.badChunk)), .end(.sendFailed, .unsent),
                Transition(.expired(hasProgress: false), .sending, .refuse(.bodyTimedOut)),
                Transition(.drain, .body),
            ]
        case .answering:
            [
                Transition(.ready(.readable), .answering), Transition(.ready(.writable), .answering),
                Transition(.ready(.peerClosed), .answering, .probe), .end(.ready(.broken), .unanswered),
                .end(.departed, .unanswered),
                Transition(.rescheduled, .answering), Transition(.flushed, .answering),
                Transition(.drain, .answering),
                Transition(.responded(generation: 1), .sending, .answer(isLast: false)),
                .end(.cut, .unanswered),
            ]
        case .streaming:
            [
                Transition(.ready(.readable), .streaming), Transition(.ready(.writable), .streaming),
                .end(.ready(.peerClosed), .unsent), .end(.ready(.broken), .unsent),
                Transition(.rescheduled, .streaming), Transition(.flushed, .streaming),
                Transition(.drain, .sending, .endStream),
                Transition(.piece(generation: 1), .sending, .sendPiece),
                Transition(.endOfStream(generation: 1), .sending, .endStream),
                .end(.cut, .unsent),
            ]
        case .sending:
            [
                Transition(.streamed(isEndless: false, untilClose: false), .sending),
                Transition(.streamed(isEndless: true, untilClose: true), .sending),
                Transition(
                    .delayed(microseconds: 5), .holding, .parkRefusal, .start(.refusal(microseconds: 5))),
                Transition(.blocked, .writing, .park, .start(.progress)),
                Transition(.flushed, .idle, .takeUpInput, .start(.idle)), .end(.sendFailed, .unsent),
                .end(.ready(.broken), .unsent), .end(.cut, .unsent),
            ]
        case .holding:
            [
                Transition(.ready(.readable), .holding), Transition(.ready(.writable), .holding),
                .end(.ready(.peerClosed), .delayed), .end(.ready(.broken), .delayed),
                Transition(.rescheduled, .holding), Transition(.flushed, .holding),
                .end(.cut, .delayed),
                Transition(.expired(hasProgress: false), .writing, .writeRefusal, .start(.progress)),
                Transition(.drain, .writing, .writeRefusal, .start(.progress)),
            ]
        case .writing:
            [
                Transition(.ready(.readable), .writing), Transition(.ready(.writable), .writing, .write),
                Transition(.ready(.peerClosed), .writing), .end(.ready(.broken), .unsent),
                Transition(.rescheduled, .writing, .write), Transition(.flushed, .writing),
                .end(.cut, .unsent), Transition(.drain, .writing),
                Transition(.written, .idle, .takeUpInput, .start(.idle)), .end(.sendFailed, .unsent),
                Transition(.expired(hasProgress: true), .writing, .markProgress, .start(.progress)),
                .end(.expired(hasProgress: false), .stalled),
            ]
        case .lingering:
            reading(.lingering) + [
                Transition(.discarded(total: 1 << 20), .lingering),
                .end(.discarded(total: 1 << 20 + 1), .quiet),
                .end(.expired(hasProgress: false), .quiet), Transition(.drain, .lingering),
            ]
        }
    }

    /// The answer or piece of a task that is no longer awaited is dropped.
    private static func late(in phase: Phase) -> [Transition] {
        [7, 1].flatMap { generation in
            [
                Transition(.responded(generation: generation), phase),
                Transition(.piece(generation: generation), phase),
                Transition(.endOfStream(generation: generation), phase),
            ]
        }
    }

    /// Progress matters only while something is written.
    private static func progressed(in phase: Phase) -> [Transition] {
        guard phase != .writing else { return [] }
        return arrows(from: phase).filter { $0.event == .expired(hasProgress: false) }.map {
            Transition(.expired(hasProgress: true), $0.next, $0.step, $0.timer)
        }
    }

    /// The transitions of every phase that reads.
    private static func reading(_ phase: Phase) -> [Transition] {
        [
            Transition(.ready(.readable), phase, .read), Transition(.ready(.writable), phase, .read),
            Transition(.ready(.peerClosed), phase, .read),
            phase == .lingering ? Transition(.ready(.broken), phase, .read) : .end(.ready(.broken), .quiet),
            Transition(.rescheduled, phase, .read), Transition(.shortRead, phase),
            Transition(.emptyRead, phase),
            .end(.endOfInput, .quiet), .end(.cut, .quiet),
        ] + (phase == .idle ? [] : [Transition(.flushed, phase)])
    }

    /// The events that a head can lead to, also with earlier answers.
    private static let heads = [
        Transition(.answered(isLast: false), .idle), Transition(.answered(isLast: true), .sending),
        Transition(.awaited(isLast: false, .none), .answering, .startTask, .stop),
        Transition(.awaited(isLast: true, .expected), .body, .none, .start(.body)),
        Transition(.awaited(isLast: false, .expectedAfterContinue), .body, .sendContinue, .start(.body)),
        Transition(.faulty(.badChunk), .sending, .refuse(.badChunk)),
        Transition(.blocked, .writing, .park, .start(.progress)), Transition.end(.sendFailed, .unsent),
    ]
}

/// The events of `ConnectionState.Event` without their values. `kind` does not compile if one is missing.
enum EventKind: CaseIterable {
    case accepted, ready, rescheduled, shortRead, emptyRead, endOfInput, proxyHeader, badProxyHeader
    case partialHead, answered, awaited, endOfBody, faulty, discarded, responded, streamed, piece, endOfStream
    case delayed, blocked, flushed, written, sendFailed, departed, expired, drain, cut
}

extension ConnectionState.Event {
    /// Each event, with each value that makes a difference.
    static let samples: [Self] =
        [true, false].flatMap { flag -> [Self] in
            [
                .accepted(expectsProxyHeader: flag), .answered(isLast: flag),
                .responded(generation: flag ? 1 : 7), .piece(generation: flag ? 1 : 7),
                .endOfStream(generation: flag ? 1 : 7), .streamed(isEndless: flag, untilClose: flag),
                .expired(hasProgress: flag),
            ]
        } + [.readable, .writable, .peerClosed, .broken].map { .ready($0) }
        + [
            .rescheduled, .shortRead, .emptyRead, .endOfInput, .proxyHeader, .badProxyHeader, .partialHead,
            .awaited(isLast: false, .none), .awaited(isLast: true, .expected),
            .awaited(isLast: false, .expectedAfterContinue), .endOfBody, .faulty(.badChunk),
            .discarded(total: 1 << 20), .discarded(total: 1 << 20 + 1), .delayed(microseconds: 5), .blocked,
            .flushed, .written, .sendFailed, .departed, .drain, .cut,
        ]

    var kind: EventKind {
        switch self {
        case .accepted: .accepted
        case .ready: .ready
        case .rescheduled: .rescheduled
        case .shortRead: .shortRead
        case .emptyRead: .emptyRead
        case .endOfInput: .endOfInput
        case .proxyHeader: .proxyHeader
        case .badProxyHeader: .badProxyHeader
        case .partialHead: .partialHead
        case .answered: .answered
        case .awaited: .awaited
        case .endOfBody: .endOfBody
        case .faulty: .faulty
        case .discarded: .discarded
        case .responded: .responded
        case .streamed: .streamed
        case .piece: .piece
        case .endOfStream: .endOfStream
        case .delayed: .delayed
        case .blocked: .blocked
        case .flushed: .flushed
        case .written: .written
        case .sendFailed: .sendFailed
        case .departed: .departed
        case .expired: .expired
        case .drain: .drain
        case .cut: .cut
        }
    }
}

extension ConnectionState {
    /// A first connection that has reached this phase, after one request that keeps it alive.
    init(in phase: Phase) {
        self.init()
        for event in Self.way(to: phase) { _ = on(event) }
    }

    /// A state after these events, in order.
    init(after events: Event...) {
        self.init()
        for event in events { _ = on(event) }
    }

    private static func way(to phase: Phase) -> [Event] {
        let idle: [Event] = [.accepted(expectsProxyHeader: false), .answered(isLast: false), .flushed]
        return switch phase {
        case .free: []
        case .greeting: [.accepted(expectsProxyHeader: true)]
        case .idle: idle
        case .head: idle + [.partialHead]
        case .body: idle + [.awaited(isLast: false, .expected)]
        case .answering: idle + [.awaited(isLast: false, .none)]
        case .sending: idle + [.awaited(isLast: false, .none), .responded(generation: 1)]
        case .streaming:
            idle + [
                .awaited(isLast: false, .none), .responded(generation: 1),
                .streamed(isEndless: true, untilClose: false), .flushed,
            ]
        case .holding: idle + [.answered(isLast: false), .delayed(microseconds: 1)]
        case .writing: idle + [.answered(isLast: false), .blocked]
        case .lingering: idle + [.answered(isLast: true), .flushed]
        }
    }
}
