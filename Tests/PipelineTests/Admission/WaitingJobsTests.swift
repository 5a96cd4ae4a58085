// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPSemantics
import RandomInputs
import Testing

@testable import Pipeline

/// The waiting jobs, mostly in order of arrival; `ResponseRatioTests` covers the other order. Times are microseconds, and the wait
/// limit is 100; jobs are told apart by their numbers.
struct WaitingJobsTests {
    private typealias Job = AdmissionQueue.Job

    private static func job(
        _ number: UInt64, _ priority: Priority = .interactive, expensive: Bool = false,
        by client: UInt32? = nil, inTurnOf taker: UInt32? = nil,
        group: String = "", taking expected: Int64 = 0, at time: Int64 = 0
    ) -> Job {
        let account = client.map {
            PermitAccount(client: Self.client($0), site: .domain("test"))
        }
        return Job(
            number: number, group: group, cost: 0, time: expected, priority: priority, arrived: time,
            account: account, client: taker.map(Self.client),
            isExpensive: expensive)
    }

    private static func waiting(_ jobs: [Job]) -> WaitingJobs {
        var waiting = WaitingJobs(waitLimit: 100)
        for job in jobs { waiting.join(job) }
        return waiting
    }

    private static func next(
        _ waiting: WaitingJobs, _ priority: Priority = .interactive, expensive: Bool = false, now: Int64 = 0,
        held: (Job) -> WaitingJobs.Held? = { _ in (0, 0) }
    ) -> UInt64? {
        waiting.next(of: priority, isExpensive: expensive, now: now, held: held)?.number
    }

    private static func pushedOut(
        _ waiting: inout WaitingJobs, ofOldest count: Int, in group: String? = nil, now: Int64
    ) -> UInt64? {
        waiting.pushOut(ofOldest: count, in: group, now: now)?.number
    }

    private static func client(_ number: UInt32) -> Asker { Asker(ClientKey(.v4(number), prefix: 64)) }

    /// The next jobs, in the order in which they begin.
    private static func begun(
        _ waiting: inout WaitingJobs, _ count: Int, expensive: Bool = false
    ) -> [UInt64] {
        var numbers: [UInt64] = []
        while numbers.count < count,
            let job = waiting.next(of: .interactive, isExpensive: expensive, now: 0, held: { _ in (0, 0) })
        {
            waiting.begin(job)
            numbers.append(job.number)
        }
        return numbers
    }

    @Test func `the first who came is next, of the class that is asked for`() {
        let waiting = Self.waiting([
            Self.job(1, .refresh), Self.job(2), Self.job(3), Self.job(4, expensive: true),
            Self.job(5, expensive: true),
        ])
        #expect(Self.next(waiting) == 2)
        #expect(Self.next(waiting, expensive: true) == 4)
        #expect(Self.next(waiting, .refresh) == 1)
        #expect(Self.next(waiting, .prefetch) == nil)
    }

    @Test func `the newest is next while the oldest has waited longer than the wait limit`() {
        let waiting = Self.waiting([Self.job(1, at: 0), Self.job(2, at: 90), Self.job(3, .refresh, at: 95)])
        #expect(Self.next(waiting, now: 100) == 1)
        #expect(Self.next(waiting, now: 101) == 2)
        // Being overdue depends on the oldest job of the class, whether or not it may begin.
        #expect(Self.next(waiting, now: 101) { $0.number == 1 ? nil : (0, 0) } == 2)
        #expect(Self.next(waiting, .refresh, now: 101) == 3)
    }

    @Test func `who holds fewest comes before who came first, and the group decides among equals`() {
        let waiting = Self.waiting((1...4).map { Self.job($0) })
        let held: [UInt64: WaitingJobs.Held] = [1: (2, 0), 2: (1, 5), 3: (1, 4), 4: (1, 4)]
        #expect(Self.next(waiting) { held[$0.number] } == 3)
        #expect(Self.next(waiting, now: 101) { held[$0.number] } == 4)
    }

    @Test func `a job that may not begin is passed over`() {
        let waiting = Self.waiting((1...3).map { Self.job($0) })
        #expect(Self.next(waiting) { $0.number < 3 ? nil : (9, 9) } == 3)
        #expect(Self.next(waiting) { _ in nil } == nil)
    }

    @Test func `a job's class rises and never falls`() {
        var waiting = Self.waiting([Self.job(1, .refresh)])
        let raised = [
            waiting.raise(1, to: .interactive), waiting.raise(1, to: .prefetch),
            waiting.raise(9, to: .interactive),
        ]
        #expect(raised == [true, true, false])
        #expect(waiting.count(.interactive) == 1)
    }

    @Test func `a client's turn has eight jobs, and whoever comes goes into the turn under way`() {
        var waiting = Self.waiting((1...20).map { Self.job($0, inTurnOf: 1) })
        #expect(Self.begun(&waiting, 3) == [1, 2, 3])
        for number in 30...39 as ClosedRange<UInt64> { waiting.join(Self.job(number, inTurnOf: 2)) }
        #expect(Self.begun(&waiting, 13) == [4, 5, 6, 7, 8, 30, 31, 32, 33, 34, 35, 36, 37])
        // Both clients are in their second turn, so the order of arrival decides.
        waiting.join(Self.job(50, inTurnOf: 3))
        #expect(Self.begun(&waiting, 1) == [50])
        #expect(Self.begun(&waiting, 20) == [9, 10, 11, 12, 13, 14, 15, 16, 38, 39, 17, 18, 19, 20])
    }

    @Test func `a job goes with the earliest turn of the clients that want it`() {
        var waiting = Self.waiting((1...20).map { Self.job($0, inTurnOf: 1) })
        // As a job of the first client it would begin in that client's third turn.
        _ = waiting.raise(20, to: .refresh, for: Self.client(2))
        #expect(Self.begun(&waiting, 9) == [1, 2, 3, 4, 5, 6, 7, 8, 20])
        for number in [30, 31] as [UInt64] { waiting.join(Self.job(number, inTurnOf: 3)) }
        _ = waiting.raise(19, to: .refresh, for: Self.client(3))
        #expect(Self.begun(&waiting, 4) == [19, 30, 31, 9])
    }

    @Test func `a job comes no later for being wanted by another client as well`() {
        var waiting = Self.waiting(
            (1...8).map { Self.job($0, inTurnOf: 2) } + (9...20).map { Self.job($0, inTurnOf: 1) })
        // The second client has fewer waiting jobs, but they fill its turn.
        _ = waiting.raise(9, to: .refresh, for: Self.client(2))
        #expect(Self.begun(&waiting, 10) == Array(1...10 as ClosedRange<UInt64>))
    }

    @Test func `a client with more jobs lends none of its turn`() {
        var waiting = Self.waiting((1...9).map { Self.job($0, inTurnOf: 1) })
        for number in 10...19 as ClosedRange<UInt64> { waiting.join(Self.job(number, inTurnOf: 2)) }
        _ = waiting.raise(9, to: .refresh, for: Self.client(2))
        #expect(Self.begun(&waiting, 17) == [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 9])
    }

    @Test func `who asks for one picture after the other takes no more turns than who asks for many at once`()
    {
        var waiting = Self.waiting((1...20).map { Self.job($0, inTurnOf: 1) })
        #expect(Self.begun(&waiting, 8) == [1, 2, 3, 4, 5, 6, 7, 8])
        // Two other clients each have one waiting job at a time, and send the next one when it has begun.
        waiting.join(Self.job(100, inTurnOf: 2))
        waiting.join(Self.job(101, inTurnOf: 3))
        var order: [UInt64] = []
        for number in 102...141 as ClosedRange<UInt64> {
            order += Self.begun(&waiting, 1)
            if let last = order.last, last >= 100 {
                waiting.join(Self.job(number, inTurnOf: last.isMultiple(of: 2) ? 2 : 3))
            }
        }
        let firstOwn = order.firstIndex { $0 < 100 }
        #expect(firstOwn == 16)
        #expect(order.count { $0 < 100 } == 8)
    }

    @Test func `an expensive job takes a whole turn`() {
        var waiting = Self.waiting((1...5).map { Self.job($0, expensive: true, inTurnOf: 1) })
        #expect(Self.begun(&waiting, 1, expensive: true) == [1])
        waiting.join(Self.job(9, expensive: true, inTurnOf: 2))
        #expect(Self.begun(&waiting, 5, expensive: true) == [9, 2, 3, 4, 5])
    }

    @Test func `of each other client no more jobs are before a newcomer than in its own turns`() {
        let waiting = Self.waiting(
            (1...30).map { Self.job($0, inTurnOf: 1) } + (31...32).map { Self.job($0, inTurnOf: 2) })
        for (client, count) in [(1, 32), (2, 10), (3, 10)] as [(UInt32, Int)] {
            #expect(
                waiting.ordinaryCount(before: .interactive, by: Self.client(client), now: 0) == count)
        }
        #expect(waiting.ordinaryCount(before: .interactive, now: 0) == 32)
        // Jobs without a client take no turns, and all stay ahead.
        let others = Self.waiting((1...30).map { Self.job($0) })
        #expect(others.ordinaryCount(before: .interactive, by: Self.client(1), now: 0) == 30)
    }

    @Test func `too long, it gives up the newest of the lowest class`() {
        var waiting = Self.waiting([Self.job(1), Self.job(2, .prefetch), Self.job(3, .prefetch), Self.job(4)])
        #expect(Self.pushedOut(&waiting, ofOldest: 4, now: 100) == 3)
        #expect(Self.pushedOut(&waiting, ofOldest: 3, now: 100) == 2)
        #expect(Self.pushedOut(&waiting, ofOldest: 2, now: 100) == 4)
    }

    @Test func `and the oldest where that is overdue`() {
        var waiting = Self.waiting([Self.job(1), Self.job(2, .prefetch), Self.job(3, .prefetch, at: 50)])
        #expect(Self.pushedOut(&waiting, ofOldest: 3, now: 101) == 2)
        #expect(Self.pushedOut(&waiting, ofOldest: 2, now: 150) == 3)
    }

    @Test func `an expensive job goes before others of its class, and a lower class before it`() {
        var waiting = Self.waiting([Self.job(1, expensive: true), Self.job(2), Self.job(3, .refresh)])
        #expect(Self.pushedOut(&waiting, ofOldest: 3, now: 0) == 3)
        #expect(Self.pushedOut(&waiting, ofOldest: 2, now: 0) == 1)
        #expect(!waiting.holdsExpensive)
    }

    @Test func `the client with most in it gives up one`() {
        var waiting = Self.waiting([Self.job(1, by: 1), Self.job(2, by: 1), Self.job(3, by: 2)])
        #expect(Self.pushedOut(&waiting, ofOldest: 3, now: 0) == 2)
        // The clients are equal, so the newest job goes.
        #expect(Self.pushedOut(&waiting, ofOldest: 2, now: 0) == 3)
        var taking = Self.waiting([
            Self.job(1, inTurnOf: 1), Self.job(2, inTurnOf: 1), Self.job(3, inTurnOf: 2),
        ])
        #expect(Self.pushedOut(&taking, ofOldest: 3, now: 0) == 2)
        // If a job has no account, clients are not compared.
        var mixed = Self.waiting([Self.job(1, by: 1), Self.job(2, by: 1), Self.job(3)])
        #expect(Self.pushedOut(&mixed, ofOldest: 3, now: 0) == 3)
    }

    @Test func `only a group's jobs, or the oldest, give way where that is asked for`() {
        var waiting = Self.waiting([Self.job(1, group: "a"), Self.job(2, .refresh, group: "b"), Self.job(3)])
        #expect(Self.pushedOut(&waiting, ofOldest: 3, in: "c", now: 0) == nil)
        #expect(Self.pushedOut(&waiting, ofOldest: 3, in: "a", now: 0) == 1)
        #expect(Self.pushedOut(&waiting, ofOldest: 0, now: 0) == nil)
        #expect(Self.pushedOut(&waiting, ofOldest: 1, now: 0) == 2)
    }

    @Test func `a client with two more jobs than another gives way to it`() {
        let waiting = Self.waiting([
            Self.job(1, by: 1), Self.job(2, by: 1), Self.job(3, .prefetch, by: 1), Self.job(4, by: 2),
        ])
        #expect(waiting.givesWay(to: Self.client(2), .interactive))
        #expect(!waiting.givesWay(to: Self.client(1), .interactive))
        #expect(waiting.givesWay(to: Self.client(3), .interactive))
        // The client has one prefetch, and a newcomer would have as many.
        #expect(!waiting.givesWay(to: Self.client(3), .prefetch))
    }

    @Test func `a newcomer stays behind higher classes, and its own as far as they are not overdue`() {
        let waiting = Self.waiting([
            Self.job(1, at: 0), Self.job(2, .prefetch, at: 0), Self.job(3, expensive: true, at: 0),
            Self.job(4, .prefetch, at: 90), Self.job(5, .refresh, at: 95),
        ])
        #expect(waiting.ordinaryCount(before: .prefetch, now: 100) == 3)
        #expect(waiting.ordinaryCount(before: .prefetch, now: 101) == 2)
        #expect(waiting.ordinaryCount(before: .interactive, now: 101) == 0)
        #expect(waiting.overdueCount(now: 101) == 3)
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>, [WaitingOrder.arrival, .responseRatio])
    func `it holds and chooses as a plain list does`(seed: UInt64, order: WaitingOrder) {
        var random = SeededRandom(seed: seed)
        var waiting = WaitingJobs(order: order, waitLimit: 100)
        var model: [Job] = []
        var now: Int64 = 0
        for number in 1...1000 as ClosedRange<UInt64> {
            now += Int64.random(in: 0...(order == .arrival ? 20 : 1_000), using: &random)
            let some = model.randomElement(using: &random)?.number ?? 0
            switch Int.random(in: 0..<8, using: &random) {
            case 0...3:
                let job = Self.job(
                    number, Priority.allCases.randomElement(using: &random) ?? .refresh,
                    expensive: Bool.random(using: &random), by: UInt32.random(in: 0..<4, using: &random),
                    group: ["a", "b"].randomElement(using: &random) ?? "a",
                    taking: Int64.random(in: 0...50_000, using: &random), at: now)
                waiting.join(job)
                model.append(job)
            case 4:
                let gone = waiting.remove(some)?.number
                #expect(gone == model.first { $0.number == some }?.number, "seed \(seed)")
                model.removeAll { $0.number == some }
            case 5:
                _ = waiting.raise(some, to: .interactive)
                for index in model.indices where model[index].number == some {
                    model[index].priority = .interactive
                }
            case 6:
                let out = waiting.pushOut(ofOldest: waiting.count, now: now)?.number
                #expect(out == Self.leaver(of: model, now: now), "seed \(seed)")
                model.removeAll { $0.number == out }
            default:
                let (priority, expensive) = (
                    Priority.allCases.randomElement(using: &random) ?? .refresh, Bool.random(using: &random)
                )
                let mine = model.filter { $0.priority == priority && $0.isExpensive == expensive }
                // Every third job may not begin.
                let able = mine.filter { $0.number % 3 != 0 }
                let isLate = mine.first.map { now - $0.arrived > 100 } ?? false
                let next = Self.next(waiting, priority, expensive: expensive, now: now) {
                    $0.number % 3 == 0 ? nil : (0, 0)
                }
                if order == .responseRatio, !expensive {
                    #expect(next == Self.highest(of: able, now: now)?.number, "seed \(seed)")
                } else {
                    #expect(next == (isLate ? able.last : able.first)?.number, "seed \(seed)")
                }
            }
            #expect(waiting.jobs.map(\.number) == model.map(\.number), "seed \(seed)")
            #expect(waiting.jobs.map(\.priority) == model.map(\.priority), "seed \(seed)")
            #expect(waiting.ordinaryCount == model.count { !$0.isExpensive }, "seed \(seed)")
            #expect(waiting.holdsExpensive == model.contains(where: \.isExpensive), "seed \(seed)")
        }
    }

    /// The first of the jobs with the highest ratio of wait to time. If each has waited more than ten times its length, the newest.
    private static func highest(of jobs: [Job], now: Int64) -> Job? {
        func ratio(_ job: Job) -> Double { Double(now - job.arrived) / Double(max(5_000, job.time)) }
        let patient = jobs.filter { ratio($0) <= 10 }
        guard let highest = patient.map(ratio).max() else {
            return jobs.first { $0.arrived == jobs.last?.arrived }
        }
        return patient.first { ratio($0) == highest }
    }

    /// The rules for pushing out a job, one after the other.
    private static func leaver(of jobs: [Job], now: Int64) -> UInt64? {
        var left = jobs.filter { job in jobs.allSatisfy { $0.priority >= job.priority } }
        if left.contains(where: \.isExpensive) { left = left.filter(\.isExpensive) }
        let clients = Dictionary(grouping: left) { $0.account?.client }
        let most = clients.values.map(\.count).max()
        left = left.filter { clients[$0.account?.client]?.count == most }
        guard let oldest = left.first else { return nil }
        return now - oldest.arrived > 100 ? oldest.number : left.last?.number
    }
}
