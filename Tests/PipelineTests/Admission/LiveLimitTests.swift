// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Testing

@testable import Pipeline

/// Limits that change while jobs run and wait. Times are microseconds; jobs are told apart by their numbers.
@Suite("Limits of admission change while jobs run and wait", .timeLimit(.minutes(1)))
struct LiveLimitTests {
    @Test func `more permits start those that wait, in their order`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1))
        for number in 1...4 { _ = queue.arrive(job(UInt64(number))) }
        #expect(
            queue.replaceLimits(with: AdmissionLimits(permits: 3), now: 5) == [.admit(2), .admit(3)])
        #expect(queue.runningCount == 3 && queue.waitingCount == 1)
    }

    @Test func `fewer permits cut nothing that runs, and start nothing until there is one`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 3))
        for number in 1...5 { _ = queue.arrive(job(UInt64(number))) }
        #expect(queue.replaceLimits(with: AdmissionLimits(permits: 1), now: 1) == [])
        #expect(queue.runningCount == 3 && queue.waitingCount == 2)
        #expect(queue.finish(1, now: 2) == [])
        #expect(queue.finish(2, now: 3) == [])
        #expect(queue.finish(3, now: 4) == [.admit(4)])
        #expect(queue.finish(4, now: 5) == [.admit(5)])
    }

    @Test func `a group's permits change alike`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, permitsPerGroup: 2))
        for number in 1...4 { _ = queue.arrive(job(UInt64(number), group: "a")) }
        #expect(queue.runningCount == 2)
        let more = AdmissionLimits(permits: 9, permitsPerGroup: 3)
        #expect(queue.replaceLimits(with: more, now: 1) == [.admit(3)])
        let fewer = AdmissionLimits(permits: 9, permitsPerGroup: 1)
        #expect(queue.replaceLimits(with: fewer, now: 2) == [])
        #expect(queue.finish(1, now: 3) == [] && queue.finish(2, now: 4) == [])
        #expect(queue.finish(3, now: 5) == [.admit(4)])
    }

    @Test func `a shorter queue refuses what is too much, of the lowest class and the newest first`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1))
        _ = queue.arrive(job(1))
        _ = queue.arrive(job(2, .refresh))
        for number in 3...5 { _ = queue.arrive(job(UInt64(number))) }
        let actions = queue.replaceLimits(with: AdmissionLimits(permits: 1, queueLength: 2), now: 1)
        #expect(actions == [.refuse(2, retryAfter: 1), .refuse(5, retryAfter: 1)])
    }

    @Test func `a shorter wait refuses those that have waited longer, and sets an alarm for the others`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueAge: 1_000))
        _ = queue.arrive(job(1))
        #expect(queue.arrive(job(2)) == [.setAlarm(1_000)])
        _ = queue.arrive(job(3, at: 50))
        let actions = queue.replaceLimits(with: AdmissionLimits(permits: 1, queueAge: 100), now: 120)
        #expect(actions == [.refuse(2, retryAfter: 1), .setAlarm(150)])
        #expect(queue.expire(now: 150) == [.refuse(3, retryAfter: 1)])
    }

    @Test func `a longer wait keeps those whose alarm was set before`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueAge: 100))
        _ = queue.arrive(job(1))
        #expect(queue.arrive(job(2)) == [.setAlarm(100)])
        #expect(queue.replaceLimits(with: AdmissionLimits(permits: 1, queueAge: 500), now: 50) == [])
        #expect(queue.expire(now: 100) == [.setAlarm(500)])
        #expect(queue.expire(now: 500) == [.refuse(2, retryAfter: 1)])
    }

    @Test func `a job is long by the limits in force, whichever it was admitted under`() {
        let short = AdmissionLimits(permits: 3, long: 100, longPermits: 1)
        var queue = AdmissionQueue(limits: short)
        _ = queue.arrive(job(1, taking: 150))
        #expect(queue.arrive(job(2, taking: 150)) == [.setAlarm(10_000_000)])
        let long = AdmissionLimits(permits: 3, long: 200, longPermits: 1)
        #expect(queue.replaceLimits(with: long, now: 1) == [.admit(2)])
        // Both jobs count as long again, whichever limits they were admitted under.
        #expect(queue.replaceLimits(with: short, now: 2) == [])
        #expect(queue.arrive(job(3, taking: 150, at: 3)) == [])
        #expect(queue.finish(1, now: 4) == [])
        // Because no other job waits, no pause delays it.
        #expect(queue.finish(2, now: 5) == [.admit(3)])
    }

    @Test func `another budget counts what runs`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, budget: 100))
        _ = queue.arrive(job(1, cost: 60))
        _ = queue.arrive(job(2, cost: 60))
        #expect(queue.waitingCount == 1)
        #expect(queue.replaceLimits(with: AdmissionLimits(permits: 9, budget: 120), now: 1) == [.admit(2)])
        #expect(queue.spending == (120, 120))
        _ = queue.replaceLimits(with: AdmissionLimits(permits: 9, budget: 50), now: 2)
        _ = queue.finish(1, now: 3)
        #expect(queue.spending == (60, 50))
    }

    @Test func `a rate that was slow holds nobody back once it is fast`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, ratePerGroup: 0.001))
        _ = queue.arrive(job(1, group: "a"))
        _ = queue.arrive(job(2, group: "a"))
        #expect(queue.runningCount == 1)
        let fast = AdmissionLimits(permits: 9, ratePerGroup: 1_000)
        #expect(queue.replaceLimits(with: fast, now: 1) == [.admit(2)])
        let none = AdmissionLimits(permits: 9)
        #expect(queue.replaceLimits(with: none, now: 2) == [])
        #expect(queue.arrive(job(3, group: "a", at: 2)) == [.admit(3)])
    }

    /// A simple list of jobs that follows the same events.
    private struct Model {
        var limits: AdmissionLimits
        var waiting: [AdmissionQueue.Job] = []
        var running: [AdmissionQueue.Job] = []
        var gone = 0

        func mayStart(_ job: AdmissionQueue.Job) -> Bool {
            running.count < limits.permits
                && (job.group.isEmpty
                    || running.count { $0.group == job.group } < limits.permitsPerGroup)
        }

        /// Applies the actions; returns a sentence for each fault in them.
        mutating func follow(_ actions: [AdmissionQueue.Action]) -> [String] {
            var faults: [String] = []
            for action in actions {
                switch action {
                case .setAlarm: continue
                case .admit(let number):
                    guard let index = waiting.firstIndex(where: { $0.number == number }) else {
                        faults.append("\(number) did not wait")
                        continue
                    }
                    let job = waiting.remove(at: index)
                    if !mayStart(job) { faults.append("\(number) started without a permit") }
                    if waiting.contains(where: { mayStart($0) && $0.priority > job.priority })
                        || waiting[..<index].contains(where: { mayStart($0) && $0.priority == job.priority })
                    {
                        faults.append("\(number) overtook another")
                    }
                    running.append(job)
                case .refuse(let number, _), .dismiss(let number):
                    guard let index = waiting.firstIndex(where: { $0.number == number }) else {
                        faults.append("\(number) did not wait")
                        continue
                    }
                    waiting.remove(at: index)
                    gone += 1
                }
            }
            if waiting.contains(where: mayStart) { faults.append("somebody waits beside a free permit") }
            if waiting.count > limits.queueLength { faults.append("the queue is too long") }
            return faults
        }
    }

    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func `whatever changes, permits are kept to, orders are kept, and nobody is forgotten`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        func limits() -> AdmissionLimits {
            let permits = Int.random(in: 1...6, using: &random)
            return AdmissionLimits(
                permits: permits, permitsPerGroup: Int.random(in: 1...permits, using: &random),
                queueLength: Int.random(in: 3...20, using: &random))
        }
        var model = Model(limits: limits())
        var queue = AdmissionQueue(limits: model.limits)
        var last: UInt64 = 0
        for step in 0..<400 {
            let actions: [AdmissionQueue.Action]
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                model.limits = limits()
                actions = queue.replaceLimits(with: model.limits, now: 0)
            case 1...5:
                last += 1
                let job = job(
                    last, Priority.allCases.randomElement(using: &random) ?? .interactive,
                    group: ["", "a", "b"].randomElement(using: &random) ?? "")
                model.waiting.append(job)
                actions = queue.arrive(job)
            case 6:
                let number = model.waiting.randomElement(using: &random)?.number ?? 0
                actions = queue.withdraw(number, now: 0)
            default:
                guard !model.running.isEmpty else { continue }
                let job = model.running.remove(at: Int.random(in: 0..<model.running.count, using: &random))
                model.gone += 1
                actions = queue.finish(job.number, now: 0)
            }
            #expect(model.follow(actions) == [], "seed \(seed), step \(step)")
            #expect(queue.runningCount == model.running.count, "seed \(seed), step \(step)")
            #expect(queue.waitingCount == model.waiting.count, "seed \(seed), step \(step)")
        }
        while let job = model.running.popLast() {
            model.gone += 1
            #expect(model.follow(queue.finish(job.number, now: 0)) == [], "seed \(seed)")
        }
        #expect(model.waiting.isEmpty && model.gone == Int(last), "seed \(seed)")
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `tasks that wait are woken, however the permits change meanwhile`(seed: UInt64) async {
        let admission = Admission(limits: AdmissionLimits(permits: 2), environment: HandMovedClock())
        await withTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    let priority = LivePriority(.interactive)
                    guard let permit = try? await admission.enter(priority: priority) else { return false }
                    await Task.yield()
                    admission.leave(permit)
                    return true
                }
            }
            group.addTask {
                var random = SeededRandom(seed: seed)
                for _ in 0..<300 {
                    let permits = Int.random(in: 1...8, using: &random)
                    admission.replaceLimits(with: AdmissionLimits(permits: permits))
                    await Task.yield()
                }
                return true
            }
            for await isServed in group { #expect(isServed, "seed \(seed)") }
        }
        #expect(admission.running == 0 && admission.waiting == 0, "seed \(seed)")
    }
}
