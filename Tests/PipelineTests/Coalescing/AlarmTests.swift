// SPDX-License-Identifier: Apache-2.0

import Bytes
import HTTPSemantics
@testable import Pipeline
import RandomInputs
import Synchronization
import Testing

@Suite("Alarms share the clock's")
struct AlarmTests {
    private let clock = HandMovedClock()
    private let alarms: Alarms

    init() { alarms = Alarms(clock) }

    /// The alarms that went off, in order.
    private final class Log: Sendable {
        let entries = Mutex<[String]>([])
        var all: [String] { entries.withLock(\.self) }
        func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    }

    /// A clock whose alarms go off up to a millisecond early.
    private struct HastyClock: Environment {
        let clock: HandMovedClock
        func now() -> Timestamp { clock.now() }
        func ticks() -> Int64 { clock.ticks() }
        func sha256(_ bytes: [UInt8]) -> Digest { clock.sha256(bytes) }
        func chance() -> Double { clock.chance() }
        func after(microseconds: Int64, _ work: @escaping @Sendable () -> Void) -> UInt64 {
            clock.after(microseconds: max(0, microseconds - 1_000), work)
        }
        func putOff(_ alarm: UInt64) { clock.putOff(alarm) }
    }

    @Test func `each goes off once, when it is due`() {
        let log = Log()
        for (name, milliseconds) in [("b", 20), ("a", 10), ("c", 30)] {
            _ = alarms.set(after: Int64(milliseconds) * 1_000) { log.note("\(name) \(clock.ticks())") }
        }
        for _ in 1...50 { clock.advance(seconds: 0.001) }
        #expect(log.all == ["a 10000", "b 20000", "c 30000"])
        #expect(alarms.count == 0 && clock.alarms == 0)
    }

    @Test func `a clock that goes off early is set again, and loses none`() {
        let log = Log()
        let alarms = Alarms(HastyClock(clock: clock))
        for (name, milliseconds) in [("b", 20), ("a", 10), ("c", 20)] {
            _ = alarms.set(after: Int64(milliseconds) * 1_000) { log.note("\(name) \(clock.ticks())") }
        }
        for _ in 1...100 { clock.advance(seconds: 0.000_5) }
        #expect(log.all == ["a 10000", "b 20000", "c 20000"])
        _ = alarms.set(after: 10_000) { log.note("d \(clock.ticks())") }
        for _ in 1...40 { clock.advance(seconds: 0.000_5) }
        #expect(log.all.last == "d 60000" && log.all.count == 4)
        #expect(alarms.count == 0 && clock.alarms == 0)
    }

    @Test func `one that is put off does not, and the last one takes the clock's with it`() {
        let log = Log()
        let other = alarms.set(after: 20_000) { log.note("other") }
        for _ in 1...1_000 {
            alarms.putOff(alarms.set(after: 20_000) { log.note("late") })
        }
        #expect(alarms.count == 1 && clock.alarms == 1)
        alarms.putOff(other)
        #expect(alarms.count == 0 && clock.alarms == 0)
        clock.advance(seconds: 1)
        #expect(log.all.isEmpty && clock.alarms == 0)
        _ = alarms.set(after: 20_000) { log.note("due") }
        clock.advance(seconds: 0.02)
        #expect(log.all == ["due"])
    }

    @Test func `none is missed, whichever are put off`() {
        var generator = SeededRandom(for: "Alarm")
        let seed = generator.seed
        let log = Log()
        var expected = 0
        for _ in 0..<2_000 {
            let after = Int64.random(in: 1...50_000, using: &generator)
            let due = clock.ticks() + after
            let number = alarms.set(after: after) { [clock] in
                log.note(clock.ticks() >= due && clock.ticks() < due + 1_000 ? "due" : "wrong")
            }
            if Bool.random(using: &generator) { alarms.putOff(number) } else { expected += 1 }
            clock.advance(seconds: Double(Int.random(in: 0...1, using: &generator)) / 1_000)
        }
        for _ in 0..<60 { clock.advance(seconds: 0.001) }
        #expect(log.all == [String](repeating: "due", count: expected), "seed \(seed)")
        #expect(clock.alarms == 0)
    }
}
