// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// When a queue stands, and how long it may be then. Times are microseconds.
struct BacklogTests {
    private func backlog(permits: Int = 1, longest: Int = 100, work: Int64 = 50) -> Backlog {
        Backlog(
            limits: AdmissionLimits(
                permits: permits, queueLength: longest, waitLimit: 100, standingWork: work))
    }

    @Test func `it stands when it has not been empty for longer than the wait limit`() {
        var backlog = backlog()
        #expect(!backlog.isStanding(now: 1000))
        backlog.update(waiting: 1, now: 1000)
        backlog.update(waiting: 7, now: 1050)
        #expect(!backlog.isStanding(now: 1100))
        #expect(backlog.isStanding(now: 1101))
        backlog.update(waiting: 0, now: 1101)
        backlog.update(waiting: 1, now: 1101)
        #expect(!backlog.isStanding(now: 1201))
    }

    @Test func `a burst may fill the queue, and what stands is as long as its work`() {
        var backlog = backlog(permits: 2)
        backlog.learn(run: 10)
        backlog.update(waiting: 1, now: 0)
        #expect(backlog.length(now: 100) == 100)
        // A standing queue has room for five jobs of 10 µs for each of two permits.
        #expect(backlog.length(now: 101) == 10)
    }

    @Test func `what stands keeps a job for each permit, and is never longer than a burst`() {
        var slow = backlog(permits: 8)
        slow.learn(run: 1000)
        slow.update(waiting: 1, now: 0)
        #expect(slow.length(now: 200) == 8)
        var quick = backlog(permits: 8, longest: 20)
        quick.learn(run: 1)
        quick.update(waiting: 1, now: 0)
        #expect(quick.length(now: 200) == 20)
    }

    @Test func `nothing is known before the first job has run, and no sum is too large`() {
        var backlog = backlog(permits: .max, work: .max)
        backlog.update(waiting: 1, now: 0)
        #expect(backlog.length(now: 200) == 100)
        backlog.learn(run: 1)
        #expect(backlog.length(now: 200) == 100)
    }

    @Test func `there is room below its length, behind those on their way`() {
        var backlog = backlog(longest: 10)
        backlog.update(waiting: 1, now: 0)
        let inflow = AdmissionQueue.Inflow(travelling: 4, waiting: 1000, time: 20)
        #expect(backlog.hasRoom(behind: 5, inflow, now: 0))
        #expect(!backlog.hasRoom(behind: 6, inflow, now: 0))
        // Two jobs will have been served by the time that the travelling ones arrive.
        backlog.learn(run: 10)
        #expect(backlog.hasRoom(behind: 7, inflow, now: 0))
        #expect(!backlog.hasRoom(behind: 8, inflow, now: 0))
    }

    @Test func `those that have not set out yet count behind what stands`() {
        var backlog = backlog()
        backlog.learn(run: 10)
        backlog.update(waiting: 1, now: 0)
        let inflow = AdmissionQueue.Inflow(waiting: 3)
        #expect(backlog.hasRoom(behind: 4, inflow, now: 100))
        #expect(backlog.hasRoom(behind: 1, inflow, now: 101))
        #expect(!backlog.hasRoom(behind: 2, inflow, now: 101))
    }

    @Test func `where nobody is on the way, only those that wait take room`() {
        var backlog = backlog()
        backlog.learn(run: 10)
        backlog.update(waiting: 1, now: 0)
        #expect(backlog.hasRoom(behind: 4, .init(), now: 101))
        #expect(!backlog.hasRoom(behind: 5, .init(), now: 101))
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `it stands as a diary of the queue says`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let longest = Int.random(in: 0...40, using: &random)
        var backlog = backlog(permits: 3, longest: longest)
        // The times of the updates, and how many jobs waited.
        var diary: [(time: Int64, waiting: Int)] = []
        var now: Int64 = 0
        for _ in 0..<1000 {
            now += Int64.random(in: 0...40, using: &random)
            let waiting = Int.random(in: 0...6, using: &random)
            if Bool.random(using: &random) { backlog.learn(run: Int64.random(in: 1...30, using: &random)) }
            backlog.update(waiting: waiting, now: now)
            diary.append((now, waiting))
            let full = diary.reversed().prefix { $0.waiting > 0 }
            let stands = full.last.map { now - $0.time > 100 } ?? false
            #expect(backlog.isStanding(now: now) == stands, "seed \(seed)")
            #expect(backlog.length(now: now) <= longest, "seed \(seed)")
            if !stands { #expect(backlog.length(now: now) == longest, "seed \(seed)") }
        }
    }
}
