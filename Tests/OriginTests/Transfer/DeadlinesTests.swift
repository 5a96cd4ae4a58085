// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Origin

@Suite(.timeLimit(.minutes(2))) struct `The deadlines of a fetch` {
    /// Connect 1 s, first byte 2 s, idle 3 s at 10 bytes a second, total 20 s, from moment 0.
    private var deadlines: Deadlines {
        var configuration = OriginConfiguration()
        configuration.connectTimeout = .seconds(1)
        configuration.firstByteTimeout = .seconds(2)
        configuration.idleTimeout = .seconds(3)
        configuration.totalTimeout = .seconds(20)
        configuration.minimumRate = 10
        return Deadlines(Deadlines.Limits(configuration), startedAt: 0)
    }

    @Test func `count microseconds`() {
        #expect(Duration.milliseconds(1500).ticks == 1_500_000)
        #expect(Duration.microseconds(7).ticks == 7)
    }

    @Test func `begin with connecting`() {
        var deadlines = deadlines
        #expect(deadlines.next == 1_000_000)
        #expect(deadlines.expired(at: 999_999) == nil)
        #expect(deadlines.expired(at: 1_000_000) == .connect)
    }

    @Test func `wait for the head from the moment of the request`() {
        var deadlines = deadlines
        deadlines.connected(at: 500_000)
        #expect(deadlines.next == 2_500_000)
        #expect(deadlines.expired(at: 2_499_999) == nil)
        #expect(deadlines.expired(at: 2_500_000) == .firstByte)
    }

    @Test func `see a body that stops`() {
        var deadlines = deadlines
        deadlines.connected(at: 0)
        deadlines.headArrived(at: 1_000_000)
        deadlines.received(1_000_000, at: 3_000_000)
        // The window ends with enough bytes, but the silence goes on.
        #expect(deadlines.next == 4_000_000)
        #expect(deadlines.expired(at: 4_000_000) == nil)
        #expect(deadlines.next == 6_000_000)
        #expect(deadlines.expired(at: 6_000_000) == .idle)
    }

    @Test func `see a body that trickles`() {
        var deadlines = deadlines
        deadlines.headArrived(at: 0)
        for moment in 1...29 { deadlines.received(1, at: Ticks(moment) * 100_000) }
        #expect(deadlines.expired(at: 2_999_999) == nil)
        #expect(deadlines.expired(at: 3_000_000) == .idle)
    }

    @Test func `let a body pass that is just fast enough, window after window`() {
        var deadlines = deadlines
        deadlines.headArrived(at: 0)
        for second in 1...18 {
            deadlines.received(10, at: Ticks(second) * 1_000_000)
            #expect(deadlines.expired(at: Ticks(second) * 1_000_000) == nil)
        }
    }

    @Test func `give the rest of a body that nobody keeps a moment, however it comes`() {
        var deadlines = deadlines
        deadlines.headArrived(at: 1_000_000)
        deadlines.drains(since: 1_000_000)
        #expect(deadlines.next == 1_000_000 + Deadlines.drain)
        deadlines.received(50_000, at: 1_400_000)
        #expect(deadlines.expired(at: 999_999 + Deadlines.drain) == nil)
        #expect(deadlines.expired(at: 1_000_000 + Deadlines.drain) == .idle)
        deadlines.hopped(at: 2_000_000)
        #expect(deadlines.next == 3_000_000)
        deadlines.headArrived(at: 19_900_000)
        deadlines.drains(since: 19_900_000)
        #expect(deadlines.next == 20_000_000)
        #expect(deadlines.expired(at: 20_000_000) == .total)
    }

    @Test func `begin anew with each redirect, but for the total`() {
        var deadlines = deadlines
        deadlines.connected(at: 0)
        deadlines.headArrived(at: 1_000_000)
        deadlines.hopped(at: 19_500_000)
        #expect(deadlines.next == 20_000_000)
        #expect(deadlines.expired(at: 19_999_999) == nil)
        #expect(deadlines.expired(at: 20_000_000) == .total)
    }
}
