// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// The rules of the queue, event by event. Times are microseconds; jobs are told apart by their numbers.
struct AdmissionQueueTests {
    /// The jobs in the order of admission, as each one ends when the next begins.
    private func order(_ queue: inout AdmissionQueue, after first: UInt64, now: Int64 = 0) -> [UInt64] {
        var order: [UInt64] = []
        var last = first
        while case .admit(let next)? = queue.finish(last, now: now).first {
            order.append(next)
            last = next
        }
        return order
    }

    @Test func `whoever finds a permit starts at once`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 2))
        #expect(queue.arrive(job(1)) == [.admit(1)])
        #expect(queue.arrive(job(2)) == [.admit(2)])
        #expect(queue.arrive(job(3)) == [.setAlarm(10_000_000)])
        #expect(queue.finish(1, now: 5) == [.admit(3)])
        #expect(queue.runningCount == 2)
    }

    @Test func `long jobs leave a permit to the others, whoever came first`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 3, long: 100, longPermits: 2))
        for number in 1...5 { _ = queue.arrive(job(UInt64(number), taking: 101)) }
        #expect(queue.runningCount == 2)
        #expect(queue.arrive(job(6, taking: 100)) == [.admit(6)])
        #expect(queue.arrive(job(7)) == [])
        #expect(queue.finish(6, now: 1) == [.admit(7)])
        // The long lane is free again for one job.
        #expect(queue.finish(1, now: 2) == [.admit(3)])
        #expect(queue.finish(7, now: 3) == [])
        #expect(queue.waitingCount == 2)
    }

    @Test func `of a single permit long jobs have half the time while others wait, and all of it else`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, long: 100, longPermits: 1))
        _ = queue.arrive(job(1, taking: 500))
        for number in 2...3 { _ = queue.arrive(job(UInt64(number), taking: 500)) }
        for number in 4...20 { _ = queue.arrive(job(UInt64(number))) }
        // The job took 500, so the lane pauses until 1,000. Meanwhile the ordinary jobs go, even more than four in a row.
        var (now, last) = (Int64(500), UInt64(1))
        var order: [UInt64] = []
        for _ in 0..<8 {
            guard case .admit(let next)? = queue.finish(last, now: now).first else { break }
            order.append(next)
            (now, last) = (now + 80, next)
        }
        #expect(order == [4, 5, 6, 7, 8, 9, 10, 2])
        var alone = AdmissionQueue(limits: AdmissionLimits(permits: 1, long: 100, longPermits: 1))
        for number in 1...3 { _ = alone.arrive(job(UInt64(number), taking: 500)) }
        #expect(self.order(&alone, after: 1, now: 500) == [2, 3])
    }

    @Test func `a long job is pushed out before others, and is none of a standing queue`() {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(permits: 1, long: 100, longPermits: 1, queueLength: 2))
        _ = queue.arrive(job(1))
        _ = queue.arrive(job(2, taking: 500))
        _ = queue.arrive(job(3))
        #expect(queue.arrive(job(4)) == [.refuse(2, retryAfter: 1)])
        #expect(queue.waitingCount == 2)
    }

    @Test func `higher classes go first, and within a class who came first`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1))
        _ = queue.arrive(job(1))
        for (number, priority) in [(2, Priority.refresh), (3, .prefetch), (4, .interactive), (5, .prefetch)] {
            _ = queue.arrive(job(UInt64(number), priority))
        }
        _ = queue.arrive(job(6, .interactive))
        #expect(order(&queue, after: 1) == [4, 6, 3, 5, 2])
    }

    @Test func `a raised job goes with its new class`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1))
        for number in 1...3 { _ = queue.arrive(job(UInt64(number), .refresh)) }
        _ = queue.raise(3, to: .interactive, now: 0)
        // A class is never lowered.
        _ = queue.raise(3, to: .refresh, now: 0)
        #expect(order(&queue, after: 1) == [3, 2])
    }

    @Test func `while the oldest has waited longer than the wait limit, the newest goes first`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, waitLimit: 100))
        _ = queue.arrive(job(1))
        for (number, time) in [(2, 0), (3, 50), (4, 60)] as [(UInt64, Int64)] {
            _ = queue.arrive(job(number, at: time))
        }
        #expect(queue.finish(1, now: 101) == [.admit(4)])
        #expect(queue.finish(4, now: 102) == [.admit(3)])
        #expect(queue.finish(3, now: 103) == [.admit(2)])
    }

    @Test func `a job that has waited too long is refused at the next event, or by the alarm`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueAge: 100))
        _ = queue.arrive(job(1))
        #expect(queue.arrive(job(2, at: 10)) == [.setAlarm(110)])
        // One alarm is enough for both jobs.
        #expect(queue.arrive(job(3, at: 20)) == [])
        #expect(queue.expire(now: 110) == [.refuse(2, retryAfter: 1), .setAlarm(120)])
        #expect(queue.finish(1, now: 120) == [.refuse(3, retryAfter: 1)])
        #expect(queue.expire(now: 120) == [])
        #expect(queue.waitingCount == 0)
    }

    @Test func `the alarm is set for who waits now, even if it was set for another`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueAge: 100))
        _ = queue.arrive(job(1))
        #expect(queue.arrive(job(2)) == [.setAlarm(100)])
        #expect(queue.withdraw(2, now: 5) == [.dismiss(2)])
        #expect(queue.arrive(job(3, at: 90)) == [])
        #expect(queue.expire(now: 100) == [.setAlarm(190)])
    }

    @Test func `without a rate, the alarm is set for the next beginning of a group that is slowed down`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9))
        #expect(queue.arrive(job(1, group: "free")) == [.admit(1)])
        queue.slowDown("slow", for: 1, by: nil, now: 0)
        #expect(queue.arrive(job(2, group: "slow")) == [.admit(2)])
        // A slowed group may start 16 jobs in a second, of which 1.6 may begin together.
        #expect(queue.arrive(job(3, group: "slow")) == [.setAlarm(25_000)])
        #expect(queue.arrive(job(4, group: "free")) == [.admit(4)])
        #expect(queue.expire(now: 25_000) == [.admit(3)])
        #expect(queue.waitingCount == 0)
    }

    @Test func `a job that is not expensive goes before those that are, but not for ever`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, budget: 100, expensive: 20))
        _ = queue.arrive(job(1, cost: 60))
        for number in 2...3 { _ = queue.arrive(job(UInt64(number), cost: 60)) }
        for number in 4...9 { _ = queue.arrive(job(UInt64(number), cost: 10)) }
        #expect(order(&queue, after: 1) == [4, 5, 6, 7, 2, 8, 9, 3])
    }

    @Test func `expensive jobs leave room for others, who do not keep them from theirs`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 8, budget: 100, expensive: 20))
        #expect(queue.arrive(job(1, cost: 50)) == [.admit(1)])
        // 50 bytes are left, but no expensive job may have the last 20.
        #expect(queue.arrive(job(2, cost: 40)) == [.setAlarm(10_000_000)])
        for number in 3...6 {
            #expect(queue.arrive(job(UInt64(number), cost: 10)) == [.admit(UInt64(number))])
        }
        // It is the expensive job's turn now, and the ordinary jobs hold more than their reserve.
        #expect(queue.arrive(job(7, cost: 10)) == [])
        #expect(queue.finish(3, now: 1) == [])
        #expect(queue.finish(4, now: 1) == [])
        #expect(queue.finish(5, now: 1) == [.admit(7)])
        #expect(queue.finish(1, now: 1) == [.admit(2)])
    }

    @Test func `beyond its length the queue gives up an expensive job before others of its class`() {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(permits: 1, budget: 100, expensive: 20, queueLength: 2))
        _ = queue.arrive(job(1, cost: 60))
        _ = queue.arrive(job(2, cost: 60))
        _ = queue.arrive(job(3, cost: 10))
        #expect(queue.arrive(job(4, cost: 10)).contains(.refuse(2, retryAfter: 1)))
    }

    @Test func `a queue of expensive jobs turns nobody away who has not come yet`() {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(permits: 1, budget: 100, expensive: 20, standingWork: 1_000_000))
        _ = queue.arrive(job(1, cost: 60))
        _ = queue.finish(1, now: 3_000_000)
        for number in 2...9 { _ = queue.arrive(job(UInt64(number), cost: 60)) }
        #expect(queue.refusal(of: .interactive, behind: AdmissionQueue.Inflow(), now: 9_000_000) == nil)
        #expect(queue.hasRoom(behind: AdmissionQueue.Inflow(), now: 9_000_000))
    }

    @Test func `beyond its length the queue gives up the newest of the lowest class`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueLength: 2))
        _ = queue.arrive(job(1))
        _ = queue.arrive(job(2, .prefetch))
        _ = queue.arrive(job(3, .prefetch))
        #expect(queue.arrive(job(4)) == [.refuse(3, retryAfter: 1)])
        #expect(queue.arrive(job(5)) == [.refuse(2, retryAfter: 1)])
        // If no job is below the newcomer, the newcomer itself is refused.
        #expect(queue.arrive(job(6)) == [.refuse(6, retryAfter: 1)])
        #expect(queue.arrive(job(7, .refresh)) == [.refuse(7, retryAfter: 1)])
        #expect(order(&queue, after: 1) == [4, 5])
    }

    @Test func `and the oldest where that has waited longer than the wait limit`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueLength: 2, waitLimit: 100))
        _ = queue.arrive(job(1))
        _ = queue.arrive(job(2))
        _ = queue.arrive(job(3, at: 50))
        #expect(queue.arrive(job(4, at: 100)) == [.refuse(4, retryAfter: 1)])
        #expect(queue.arrive(job(5, at: 101)) == [.refuse(2, retryAfter: 1)])
        #expect(queue.arrive(job(6, at: 102)) == [.refuse(6, retryAfter: 1)])
    }

    @Test func `a slow origin leaves permits and places in the queue to the others`() {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(permits: 3, permitsPerGroup: 2, queueLengthPerGroup: 1))
        #expect(queue.arrive(job(1, group: "slow")) == [.admit(1)])
        #expect(queue.arrive(job(2, group: "slow")) == [.admit(2)])
        #expect(queue.arrive(job(3, group: "slow")) == [.setAlarm(10_000_000)])
        #expect(queue.arrive(job(4, group: "slow")) == [.refuse(4, retryAfter: 1)])
        #expect(queue.arrive(job(5, group: "quick")) == [.admit(5)])
        #expect(queue.arrive(job(6, group: "quick")) == [])
        #expect(queue.finish(5, now: 1) == [.admit(6)])
        #expect(queue.finish(1, now: 1) == [.admit(3)])
    }

    @Test func `costs stay within the budget, but one job is always admitted`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, budget: 100))
        #expect(queue.arrive(job(1, cost: 500)) == [.admit(1)])
        #expect(queue.arrive(job(2, cost: 60)) == [.setAlarm(10_000_000)])
        #expect(queue.arrive(job(3, cost: 60)) == [])
        // A small job does not overtake a big one that waits for the budget.
        #expect(queue.arrive(job(4, cost: 1)) == [])
        #expect(queue.finish(1, now: 1) == [.admit(2)])
        #expect(queue.finish(2, now: 1) == [.admit(3), .admit(4)])
    }

    @Test func `who leaves the queue frees those behind`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, budget: 100))
        _ = queue.arrive(job(1, cost: 60))
        _ = queue.arrive(job(2, cost: 60))
        _ = queue.arrive(job(3, cost: 10))
        #expect(queue.withdraw(2, now: 1) == [.dismiss(2), .admit(3)])
    }

    @Test func `what is not waiting cannot be withdrawn, and what does not run cannot finish`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1))
        _ = queue.arrive(job(1))
        #expect(queue.withdraw(1, now: 0) == [])
        #expect(queue.withdraw(9, now: 0) == [])
        #expect(queue.finish(9, now: 0) == [])
        _ = queue.finish(1, now: 0)
        #expect(queue.finish(1, now: 0) == [])
        #expect(queue.runningCount == 0)
    }

    @Test func `the refused are told to come back when the queue will have been worked off`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 2, queueLength: 9))
        _ = queue.arrive(job(1))
        _ = queue.finish(1, now: 4_000_000)
        for number in 2...12 { _ = queue.arrive(job(UInt64(number), at: 4_000_000)) }
        // Two jobs run and nine wait, for four seconds each and two at a time.
        #expect(queue.arrive(job(13, at: 4_000_000)) == [.refuse(13, retryAfter: 18)])
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `whatever happens, everybody is in one place and the limits hold`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let limits = AdmissionLimits(
            permits: 4, permitsPerGroup: 2, budget: 100, queueLength: 12, queueLengthPerGroup: 6,
            queueAge: 500, order: seed.isMultiple(of: 2) ? .responseRatio : .arrival,
            waitLimit: 100, standingWork: 40)
        var queue = AdmissionQueue(limits: limits)
        var waiting: Set<UInt64> = []
        var running: [UInt64: AdmissionQueue.Job] = [:]
        var jobs: [UInt64: AdmissionQueue.Job] = [:]
        var alarm: Int64?
        var now: Int64 = 0
        for number in 1...1000 as ClosedRange<UInt64> {
            now += Int64.random(in: 0...20, using: &random)
            let actions: [AdmissionQueue.Action]
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let new = job(
                    number, Priority.allCases.randomElement(using: &random) ?? .refresh,
                    group: ["a", "b", "c"].randomElement(using: &random) ?? "a",
                    cost: Int.random(in: 0...120, using: &random),
                    taking: Int64.random(in: 0...50_000, using: &random), at: now)
                jobs[number] = new
                waiting.insert(number)
                actions = queue.arrive(new)
            case 4, 5:
                let done = running.keys.sorted().randomElement(using: &random) ?? 0
                running[done] = nil
                actions = queue.finish(done, now: now)
            case 6:
                actions = queue.withdraw(waiting.sorted().randomElement(using: &random) ?? 0, now: now)
            default:
                actions = queue.raise(
                    waiting.sorted().randomElement(using: &random) ?? 0, to: .interactive, now: now)
            }
            var pending = actions
            if let due = alarm, due <= now {
                alarm = nil
                pending += queue.expire(now: now)
            }
            for action in pending {
                switch action {
                case .admit(let number):
                    #expect(waiting.remove(number) != nil)
                    running[number] = jobs[number]
                case .refuse(let number, _), .dismiss(let number): #expect(waiting.remove(number) != nil)
                case .setAlarm(let time):
                    #expect(alarm == nil)
                    alarm = time
                }
            }
            #expect(queue.waitingCount == waiting.count)
            #expect(queue.runningCount == running.count)
            #expect(running.count <= limits.permits && waiting.count <= limits.queueLength)
            let groups = Dictionary(grouping: running.values, by: \.group)
            #expect(groups.values.allSatisfy { $0.count <= limits.permitsPerGroup })
            #expect(running.count <= 1 || running.values.reduce(0) { $0 + $1.cost } <= limits.budget)
            #expect(waiting.isEmpty || alarm != nil)
            #expect(waiting.allSatisfy { now - (jobs[$0]?.arrived ?? 0) < limits.queueAge })
            if !waiting.isEmpty { #expect(!running.isEmpty) }
        }
    }
}
