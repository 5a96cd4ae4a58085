// SPDX-License-Identifier: Apache-2.0

@testable import Origin
import SourceURLs
import Testing

@Suite struct `A kept connection` {
    private static let limits = ConnectionStep.Limits(
        settle: 300, longestSettle: 5000, runTime: 500, runLength: 4, memory: 5000)

    private func key(_ number: Int) -> OriginalKey { OriginalKey(url: "http://a.example/\(number)") }

    private func connection() -> ConnectionStep { ConnectionStep(Self.limits) }

    /// A request and its answer at the same moment.
    private func exchange(_ step: inout ConnectionStep, _ number: Int, at now: Ticks, wait: Ticks = 0) {
        #expect(step.ask(at: now) { .nothing } == .granted)
        _ = step.answered(key(number), at: now, wait: wait, isLast: false, isExceeded: false)
    }

    @Test func `serves requests in quick succession`() {
        var step = connection()
        for number in 1...3 { exchange(&step, number, at: Ticks(number)) }
        #expect(step.isUnproven && step.holdsSuspects)
    }

    @Test func `that carries one request at a time gets no second one meanwhile`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.ask(at: 10, mayShare: false) { .nothing } == .granted)
        #expect(step.ask(at: 20, mayShare: false) { .nothing } == .refused)
        #expect(step.isBusy && !step.isMultiplexed)
        _ = step.answered(key(2), at: 30, wait: 0, isLast: false, isExceeded: false)
        #expect(step.ask(at: 40, mayShare: false) { .nothing } == .granted)
    }

    @Test func `is asked once where no answer may come into doubt, and as often as ever over HTTP/2`() {
        var step = connection()
        #expect(step.ask(at: 0, mayDoubt: false) { .nothing } == .granted)
        _ = step.answered(key(1), at: 0, wait: 0, isLast: false, isExceeded: false)
        #expect(step.ask(at: 10, mayDoubt: false) { .nothing } == .refused)
        #expect(step.ask(at: 10_000, mayDoubt: false) { .nothing } == .refused, "proved, and asked no more")
        #expect(step.ask(at: 10_010, mayDoubt: false) { .input } == .outOfStep)
        var other = connection()
        #expect(other.ask(at: 0) { .nothing } == .granted)
        other.multiplexes()
        #expect(other.ask(at: 10, mayDoubt: false) { .nothing } == .granted)
    }

    @Test func `is proven by silence`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        exchange(&step, 2, at: 10)
        #expect(step.look(at: 309, seeing: .nothing) == .open(until: 310))
        #expect(step.look(at: 310, seeing: .nothing) == .open(until: 5010))
        #expect(!step.isUnproven && step.isWatched)
        #expect(step.look(at: 5010, seeing: .nothing) == .inStep)
        #expect(!step.isWatched)
    }

    @Test func `is disproved by input that comes later`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        exchange(&step, 2, at: 10)
        _ = step.look(at: 310, seeing: .nothing)
        let finding = step.look(at: 1500, seeing: .input)
        #expect(finding == .outOfStep)
        #expect(step.suspects(finding) == [key(2)])
        #expect(!step.isWatched && step.ask(at: 1501) { .nothing } == .refused)
    }

    @Test(arguments: [ConnectionStep.Peek.end, .closing])
    func `that ends after its silence is watched no more`(peek: ConnectionStep.Peek) {
        var step = connection()
        exchange(&step, 1, at: 0)
        exchange(&step, 2, at: 10)
        _ = step.look(at: 310, seeing: .nothing)
        #expect(step.look(at: 400, seeing: peek) == .inStep)
        #expect(!step.isWatched)
    }

    @Test func `is proven by its end where that was announced`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.ask(at: 10) { .nothing } == .granted)
        _ = step.answered(key(2), at: 10, wait: 0, isLast: true, isExceeded: false)
        #expect(step.look(at: 11, seeing: .end) == .inStep)
        #expect(!step.isUnproven && !step.isWatched)
    }

    @Test(arguments: [false, true])
    func `that is looked at no more leaves what has no proof in doubt`(isEndAnnounced: Bool) {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.ask(at: 10) { .nothing } == .granted)
        _ = step.answered(key(2), at: 10, wait: 0, isLast: isEndAnnounced, isExceeded: false)
        let finding = step.giveUp()
        #expect(finding == .doubtful && step.suspects(finding) == [key(2)])
        #expect(!step.isUnproven && !step.isWatched)
    }

    @Test func `has in doubt what came since its first answer, until that is proved or found out`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.inDoubt.isEmpty)
        exchange(&step, 2, at: 10)
        #expect(step.ask(at: 20) { .nothing } == .granted)
        #expect(step.inDoubt == [key(2)])
        _ = step.answered(key(3), at: 30, wait: 0, isLast: false, isExceeded: false)
        #expect(step.inDoubt == [key(2), key(3)])
        _ = step.look(at: 330, seeing: .nothing)
        #expect(step.inDoubt.isEmpty)
        exchange(&step, 4, at: 400)
        #expect(step.inDoubt == [key(4)])
        let finding = step.look(at: 401, seeing: .input)
        #expect(step.suspects(finding).contains(key(4)) && step.inDoubt.isEmpty)
    }

    @Test func `that ends unannounced leaves what it brought since its first answer in doubt`() {
        var step = connection()
        for number in 1...3 { exchange(&step, number, at: Ticks(number)) }
        let finding = step.look(at: 4, seeing: .end)
        #expect(finding == .doubtful && step.suspects(finding) == [key(2), key(3)])
        #expect(!step.isWatched)
        var single = connection()
        exchange(&single, 1, at: 0)
        #expect(single.suspects(single.look(at: 4, seeing: .end)) == [])
    }

    @Test func `whose server is slow has to be silent for longer`() {
        var step = connection()
        exchange(&step, 1, at: 0, wait: 200)
        #expect(step.look(at: 499, seeing: .nothing) == .open(until: 500))
        #expect(step.look(at: 500, seeing: .closing) == .inStep)
    }

    @Test func `with input that nobody asked for is out of step, all but its first answer forgotten`() {
        var step = connection()
        for number in 1...3 { exchange(&step, number, at: Ticks(number)) }
        let finding = step.look(at: 4, seeing: .input)
        #expect(finding == .outOfStep)
        #expect(step.suspects(finding) == [key(2), key(3)])
        #expect(step.ask(at: 5) { .nothing } == .refused)
    }

    @Test func `is looked at before each request`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.ask(at: 1) { .input } == .outOfStep)
        #expect(step.suspects(.outOfStep) == [])
        var ended = connection()
        exchange(&ended, 1, at: 0)
        #expect(ended.ask(at: 1) { .end } == .refused)
        var fresh = connection()
        #expect(fresh.ask(at: 0) { .input } == .granted)
    }

    @Test func `forgets its last two runs and nothing before, and the first answer since`() {
        var step = connection()
        for (number, moment) in [0, 10, 400, 401, 800, 801].enumerated() {
            exchange(&step, number + 1, at: Ticks(moment))
        }
        let finding = step.look(at: 802, seeing: .input)
        #expect(step.suspects(finding) == [3, 4, 5, 6].map(key))
    }

    @Test func `is given no request once its run has lasted, and what came over it is watched on`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        exchange(&step, 2, at: 250)
        #expect(step.ask(at: 500) { .nothing } == .refused)
        #expect(step.holdsSuspects)
        #expect(step.suspects(step.look(at: 520, seeing: .input)) == [key(2)])
    }

    @Test func `is given no request whose answer would outlast its run`() {
        var step = connection()
        exchange(&step, 1, at: 0, wait: 490)
        #expect(step.ask(at: 10) { .nothing } == .refused)
    }

    @Test func `is given so many requests in a run`() {
        var step = connection()
        for number in 1...4 { exchange(&step, number, at: 0) }
        #expect(step.ask(at: 0) { .nothing } == .refused)
    }

    @Test func `whose answer came with more is out of step, its first answer aside`() {
        var step = connection()
        #expect(step.ask(at: 0) { .nothing } == .granted)
        let first = step.answered(key(1), at: 0, wait: 0, isLast: false, isExceeded: true)
        #expect(first == .outOfStep && step.suspects(first) == [])
        var later = connection()
        exchange(&later, 1, at: 0)
        #expect(later.ask(at: 1) { .nothing } == .granted)
        let second = later.answered(key(2), at: 1, wait: 0, isLast: false, isExceeded: true)
        #expect(second == .outOfStep && later.suspects(second) == [key(2)])
    }

    @Test func `that brings no HTTP after an answer is out of step`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        exchange(&step, 2, at: 1)
        #expect(step.ask(at: 2) { .nothing } == .granted)
        let finding = step.broke(nil, isMalformed: true)
        #expect(finding == .outOfStep && step.suspects(finding) == [key(2)])
    }

    @Test func `that ends in mid-answer leaves those before it in doubt`() {
        var step = connection()
        #expect(step.ask(at: 0) { .nothing } == .granted)
        #expect(step.broke(nil, isMalformed: false) == .inStep)
        var later = connection()
        exchange(&later, 1, at: 0)
        exchange(&later, 2, at: 1)
        #expect(later.ask(at: 2) { .nothing } == .granted)
        let finding = later.broke(nil, isMalformed: false)
        #expect(finding == .doubtful && later.suspects(finding) == [key(2)])
    }

    @Test func `whose answer is refused by its head has that one in doubt, too`() {
        var step = connection()
        exchange(&step, 1, at: 0)
        #expect(step.ask(at: 2) { .nothing } == .granted)
        let finding = step.broke(key(2), isMalformed: false)
        #expect(finding == .doubtful && step.suspects(finding) == [key(2)])
    }

    @Test func `brings a suspect answer while one before it is not proven`() {
        var step = connection()
        #expect(step.ask(at: 0) { .nothing } == .granted)
        #expect(!step.isAnswerSuspect)
        _ = step.answered(key(1), at: 0, wait: 0, isLast: false, isExceeded: false)
        #expect(step.ask(at: 10) { .nothing } == .granted)
        #expect(step.isAnswerSuspect)
        _ = step.answered(key(2), at: 10, wait: 0, isLast: false, isExceeded: false)
        #expect(step.ask(at: 310) { .nothing } == .granted)
        #expect(!step.isAnswerSuspect)
        step.multiplexes()
        #expect(!step.isAnswerSuspect)
    }

    @Test func `of several streams is always in step`() {
        var step = connection()
        #expect(step.ask(at: 0) { .nothing } == .granted)
        #expect(step.ask(at: 0) { .input } == .granted)
        #expect(step.answered(key(1), at: 0, wait: 0, isLast: false, isExceeded: true) == .inStep)
        #expect(step.broke(nil, isMalformed: true) == .inStep)
        #expect(step.ask(at: 9999) { .input } == .granted)
        #expect(!step.isUnproven)
    }
}

@Suite struct `Unread TLS records` {
    private func isAnswer(_ records: (UInt8, Int)..., cut: Int = 0) -> Bool {
        var bytes: [UInt8] = []
        for (type, length) in records {
            bytes +=
                [type, 3, 3, UInt8(length >> 8), UInt8(length & 0xFF)] + [UInt8](repeating: 7, count: length)
        }
        return bytes.dropLast(cut).withUnsafeBytes { TLSRecords.isAnswer(.init(rebasing: $0[...])) }
    }

    @Test func `of application data are an answer`() {
        #expect(isAnswer((23, 300)))
        #expect(isAnswer((23, 20)))
        #expect(isAnswer((23, 300), cut: 299))
        #expect(isAnswer((23, 300), cut: 302))
        #expect(isAnswer((23, 19), (23, 19)))
        #expect(isAnswer((22, 200), (23, 300)))
    }

    @Test func `that end the connection are none`() {
        #expect(!isAnswer((23, 19)))
        #expect(!isAnswer((21, 26)))
        #expect(!isAnswer((22, 200)))
        #expect(!isAnswer((20, 1), (22, 40)))
    }

    @Test func `that were cut anywhere are read without a trap`() {
        for length in 0...40 {
            for cut in 0...(length + 5) { _ = isAnswer((23, length), (21, 2), cut: cut) }
        }
    }
}
