// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// The permits of long jobs. Times are microseconds; a job of more than 100 is long.
struct LongLaneTests {
    @Test func `long jobs have their permits, and others are not counted`() {
        var lane = LongLane(permits: 2, long: 100)
        for time in [100, 101, 100, 500] as [Int64] { lane.take(time) }
        #expect(!lane.admits(101, othersWait: false, now: 0))
        #expect(lane.admits(100, othersWait: true, now: 0))
        lane.giveBack(100, started: 0, now: 0)
        #expect(!lane.admits(101, othersWait: false, now: 0))
        lane.giveBack(101, started: 0, now: 0)
        #expect(lane.admits(101, othersWait: false, now: 0))
    }

    @Test func `while others wait, it rests for as long as the last long job took`() {
        var lane = LongLane(permits: 1, long: 100)
        lane.take(500)
        lane.giveBack(500, started: 1000, now: 1300)
        #expect(!lane.admits(101, othersWait: true, now: 1599))
        #expect(lane.admits(101, othersWait: true, now: 1600))
        #expect(lane.admits(101, othersWait: false, now: 1300))
        #expect(lane.admits(100, othersWait: true, now: 1300))
    }

    @Test func `a short job that took long makes it rest no longer`() {
        var lane = LongLane(permits: 1, long: 100)
        lane.take(100)
        lane.giveBack(100, started: 0, now: 9000)
        #expect(lane.admits(101, othersWait: true, now: 9000))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `of a single permit long jobs have at most half the time while others wait`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var lane = LongLane(permits: 1, long: 100)
        var (now, busy) = (Int64(0), Int64(0))
        for _ in 0..<1000 {
            guard lane.admits(101, othersWait: true, now: now) else {
                now += 1
                continue
            }
            let run = Int64.random(in: 0...50, using: &random)
            lane.take(101)
            lane.giveBack(101, started: now, now: now + run)
            now += run
            busy += run
            // The pause after the last job is still to come.
            #expect(2 * busy <= now + run, "seed \(seed)")
        }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `its permits are those of a list of jobs`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let permits = Int.random(in: 0...4, using: &random)
        var lane = LongLane(permits: permits, long: 100)
        var held: [Int64] = []
        for now in 0..<1000 as Range<Int64> {
            let time = Int64.random(in: 0...200, using: &random)
            let fits = time <= 100 || held.count { $0 > 100 } < permits
            #expect(lane.admits(time, othersWait: false, now: now) == fits, "seed \(seed)")
            if fits, Bool.random(using: &random) {
                lane.take(time)
                held.append(time)
            } else if let index = held.indices.randomElement(using: &random) {
                lane.giveBack(held.remove(at: index), started: now, now: now)
            }
        }
    }
}
