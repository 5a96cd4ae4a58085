// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// Highest response ratio next; `WaitingJobsTests` compares it with a plain list. Times are microseconds; jobs are told apart by
/// their numbers.
@Suite("Short jobs overtake long ones, and none waits for ever")
struct ResponseRatioTests {
    private typealias Job = AdmissionQueue.Job

    private func next(
        _ jobs: [Job], now: Int64, expensive: Bool = false, held: (Job) -> WaitingJobs.Held? = { _ in (0, 0) }
    ) -> UInt64? {
        var waiting = WaitingJobs(order: .responseRatio, waitLimit: 2_000_000)
        for var job in jobs {
            job.isExpensive = expensive
            waiting.join(job)
        }
        return waiting.next(of: .interactive, isExpensive: expensive, now: now, held: held)?.number
    }

    @Test func `of two that have waited equally long, the shorter is next`() {
        let jobs = [job(1, taking: 100_000), job(2, taking: 10_000), job(3, taking: 50_000)]
        #expect(next(jobs, now: 1) == 2)
        #expect(next(jobs, now: 900_000) == 2)
    }

    @Test func `of equals, the older is next`() {
        #expect(next([job(1, taking: 10_000), job(2, taking: 10_000)], now: 5) == 1)
        #expect(next([job(1, taking: 10_000), job(2, taking: 10_000, at: 4)], now: 5) == 1)
        // Neither job has waited yet.
        #expect(next([job(1, taking: 20_000), job(2, taking: 10_000)], now: 0) == 1)
    }

    @Test func `a wait that is long for its job counts more than a short job`() {
        let jobs = [job(1, taking: 100_000), job(2, taking: 10_000, at: 90_000)]
        // The ratios are 0.99 and 0.9, a moment later 1 and 1, and then 1.01 and 1.1.
        #expect(next(jobs, now: 99_000) == 1)
        #expect(next(jobs, now: 100_000) == 1)
        #expect(next(jobs, now: 101_000) == 2)
    }

    @Test func `below what any job takes, nobody knows who is shorter`() {
        #expect(next([job(1, taking: 4_000), job(2, taking: 0)], now: 1_000) == 1)
    }

    @Test func `who holds fewest comes before the shortest, and a job that may not start is passed over`() {
        let jobs = [job(1, taking: 10_000), job(2, taking: 90_000), job(3, taking: 30_000)]
        #expect(next(jobs, now: 100) { ($0.number == 1 ? 1 : 0, 0) } == 3)
        #expect(next(jobs, now: 100) { $0.number == 1 ? nil : (0, 0) } == 3)
    }

    @Test func `expensive jobs keep the order of arrival`() {
        let jobs = [job(1, taking: 9_000_000), job(2, taking: 2_000_000, at: 10)]
        #expect(next(jobs, now: 1_000_000, expensive: true) == 1)
        #expect(next(jobs, now: 2_000_001, expensive: true) == 2)
    }

    @Test func `an overdue job comes last after ten of its times, the newest first`() {
        var jobs = [
            job(1, taking: 100_000), job(2, taking: 300_000), job(3, taking: 100_000, at: 500_000),
            job(4, taking: 100_000, at: 2_990_000),
        ]
        // The jobs have waited for 30, 10, 25 and 0.1 times their own length.
        for number in [2, 4, 3, 1] as [UInt64] {
            #expect(next(jobs, now: 3_000_000) == number)
            jobs.removeAll { $0.number == number }
        }
        // The job has waited for twenty times its length, but is not overdue.
        #expect(next([job(1, taking: 100_000), job(2, taking: 20_000, at: 1_900_000)], now: 2_000_000) == 1)
    }

    @Test func `beside short jobs without end, a long one starts after as many of its times`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, order: .responseRatio))
        _ = queue.arrive(job(1, taking: 10_000))
        _ = queue.arrive(job(1000, taking: 500_000))
        _ = queue.arrive(job(2, taking: 10_000))
        // Whenever a permit becomes free, one job has waited for 10 ms.
        var last: UInt64 = 1
        for step in 1...60 as ClosedRange<UInt64> {
            let now = Int64(step) * 10_000
            _ = queue.arrive(job(step + 2, taking: 10_000, at: now))
            guard case .admit(let next)? = queue.finish(last, now: now).first else { break }
            last = next
            if last == 1000 {
                #expect(now == 500_000)
                return
            }
        }
        Issue.record("It never started.")
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `waits in proportion to the work are shorter than in order of arrival`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var jobs: [Job] = []
        var (now, work) = (Int64(0), Int64(0))
        for number in 1...500 as ClosedRange<UInt64> {
            let time: Int64 = random.chance(20) ? 200_000 : 10_000
            jobs.append(job(number, taking: time, at: now))
            work += time
            now += Int64.random(in: 0...100_000, using: &random)
        }
        let (byRatio, byArrival) = (starts(of: jobs, .responseRatio), starts(of: jobs, .arrival))
        #expect(byRatio.count == jobs.count && byArrival.count == jobs.count, "seed \(seed)")
        func proportion(_ starts: [UInt64: Int64]) -> Double {
            jobs.reduce(0) { $0 + Double((starts[$1.number] ?? 0) - $1.arrived) / Double($1.time) }
        }
        #expect(proportion(byRatio) < proportion(byArrival), "seed \(seed)")
        // The permit is never idle while a job waits, so in both orders the last job ends at the same moment.
        #expect(ending(byRatio, jobs) == ending(byArrival, jobs), "seed \(seed)")
        #expect(ending(byRatio, jobs) >= work, "seed \(seed)")
    }

    private func ending(_ starts: [UInt64: Int64], _ jobs: [Job]) -> Int64 {
        jobs.map { (starts[$0.number] ?? 0) + $0.time }.max() ?? 0
    }

    /// When each job begins, if one runs at a time.
    private func starts(of jobs: [Job], _ order: WaitingOrder) -> [UInt64: Int64] {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(
                permits: 1, queueAge: Int64.max / 2, order: order, waitLimit: Int64.max / 2))
        var starts: [UInt64: Int64] = [:]
        var running: (job: Job, end: Int64)?
        func admitted(_ actions: [AdmissionQueue.Action], now: Int64) {
            for case .admit(let number) in actions {
                starts[number] = now
                running = jobs.first { $0.number == number }.map { ($0, now + $0.time) }
            }
        }
        var coming = jobs[...]
        while running != nil || !coming.isEmpty {
            if let current = running, current.end < coming.first?.arrived ?? .max {
                running = nil
                admitted(queue.finish(current.job.number, now: current.end), now: current.end)
            } else if let job = coming.popFirst() {
                admitted(queue.arrive(job), now: job.arrived)
            }
        }
        return starts
    }
}
