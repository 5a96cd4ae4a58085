// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import RandomInputs
import Testing

@testable import HTTPServer

struct TimerWheelTests {
    private func due(_ wheel: inout TimerWheel, _ tick: Int) -> [Int] {
        var due: [Int] = []
        wheel.advance(to: tick, into: &due)
        return due.sorted()
    }

    @Test func `a key comes up at its tick, once`() {
        var wheel = TimerWheel(slots: 8, keys: 4)
        wheel.schedule(1, at: 3)
        wheel.schedule(2, at: 3)
        wheel.schedule(3, at: 4)
        #expect(due(&wheel, 2).isEmpty)
        #expect(due(&wheel, 3) == [1, 2])
        #expect(due(&wheel, 20) == [3])
        #expect(wheel.count == 0)
    }

    @Test func `a later tick leaves a key where it waits, an earlier one moves it`() {
        var wheel = TimerWheel(slots: 8, keys: 2)
        wheel.schedule(0, at: 3)
        wheel.schedule(0, at: 6)
        #expect(due(&wheel, 3) == [0])
        wheel.schedule(0, at: 7)
        wheel.schedule(0, at: 5)
        #expect(due(&wheel, 5) == [0])
        #expect(due(&wheel, 9).isEmpty)
    }

    @Test func `a tick beyond reach comes up early rather than late`() {
        var wheel = TimerWheel(slots: 8, keys: 1)
        wheel.schedule(0, at: 1000)
        #expect(due(&wheel, 6).isEmpty)
        #expect(due(&wheel, 7) == [0])
    }

    @Test func `a cancelled key does not come up, and its neighbours do`() {
        var wheel = TimerWheel(slots: 4, keys: 3)
        for key in 0..<3 { wheel.schedule(key, at: 2) }
        wheel.cancel(1)
        wheel.cancel(1)
        #expect(due(&wheel, 2) == [0, 2])
    }

    @Test func `it does what a list would do`() {
        let seed = SeededRandom(for: "TimerWheel").seed
        var state = seed
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        var wheel = TimerWheel(slots: 16, keys: 20)
        var list: [Int: Int] = [:]
        var now = 0
        for _ in 0..<5000 {
            let key = random(20)
            switch random(3) {
            case 0:
                let tick = min(max(now + random(15), now + 1), now + 15)
                wheel.schedule(key, at: tick)
                list[key] = min(list[key] ?? tick, tick)
            case 1:
                wheel.cancel(key)
                list[key] = nil
            default:
                now += random(40)
                let expected = list.filter { $0.value <= now }.keys.sorted()
                for key in expected { list[key] = nil }
                #expect(due(&wheel, now) == expected, "seed \(seed)")
            }
            #expect(wheel.count == list.count, "seed \(seed)")
        }
    }
}

struct DateLineTests {
    private func line(_ second: Int64) -> String {
        var line = DateLine()
        var buffer = FieldBuffer()
        line.write(at: Timestamp(seconds: second), into: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    @Test func `dates are written as RFC 9110 §5.6.7 shows them`() {
        #expect(line(784_111_777) == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n")
        #expect(line(0) == "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n")
        #expect(line(951_782_400) == "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n")
        #expect(line(4_102_444_799) == "Date: Thu, 31 Dec 2099 23:59:59 GMT\r\n")
    }

    @Test func `a line is written as often as asked for, and tells each new second`() {
        var line = DateLine()
        var buffer = FieldBuffer()
        let moments: [Int64] = [999, 1_000, 1_999, 2_000, 59_999, 0]
        for moment in moments { line.write(at: Timestamp(milliseconds: moment), into: &buffer) }
        let seconds = ["00", "01", "01", "02", "59", "00"]
        #expect(
            String(decoding: buffer.bytes, as: UTF8.self)
                == seconds.map { "Date: Thu, 01 Jan 1970 00:00:\($0) GMT\r\n" }.joined())
    }
}
