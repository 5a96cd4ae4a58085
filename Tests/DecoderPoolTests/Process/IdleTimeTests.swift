// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
import Testing

@Suite("The processor time of a process without a job") struct IdleTimeTests {
    @Test func `adds up, and that of its jobs is none of it`() {
        var idle = IdleTime()
        idle.look(at: .seconds(5), lent: 0)
        idle.end(at: .milliseconds(5_600), lent: 0)
        // A job of two seconds lies between.
        idle.look(at: .milliseconds(7_600), lent: 0)
        #expect(!idle.isSpent)
        idle.look(at: .milliseconds(8_100), lent: 0)
        #expect(idle.isSpent)
    }

    @Test func `does not count if a job was lent meanwhile`() {
        var idle = IdleTime()
        idle.look(at: .zero, lent: 0)
        idle.look(at: .seconds(9), lent: 3)
        idle.end(at: .seconds(18), lent: 4)
        #expect(!idle.isSpent)
        idle.look(at: .seconds(20), lent: 0)
        idle.look(at: .seconds(22), lent: 0)
        #expect(idle.isSpent)
    }

    @Test func `may be a little with each job`() {
        var (idle, used) = (IdleTime(), Duration.zero)
        for _ in 0..<10_000 {
            idle.look(at: used, lent: 0)
            used += .milliseconds(10)
            idle.end(at: used, lent: 0)
        }
        #expect(!idle.isSpent)
    }

    @Test func `is nothing where it cannot be told`() {
        var idle = IdleTime()
        idle.look(at: nil, lent: 0)
        idle.look(at: .seconds(9), lent: 0)
        idle.look(at: nil, lent: 0)
        #expect(!idle.isSpent)
    }
}
