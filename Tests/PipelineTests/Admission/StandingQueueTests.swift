// SPDX-License-Identifier: Apache-2.0

import Clients
import Testing

@testable import Pipeline

/// Which newcomers are refused before they come, event by event. Times are microseconds; every job runs for 10.
struct StandingQueueTests {
    private func job(
        _ number: UInt64, _ priority: Priority = .interactive, at time: Int64
    ) -> AdmissionQueue.Job {
        AdmissionQueue.Job(number: number, group: "", cost: 0, priority: priority, arrived: time)
    }

    /// A queue in which one job runs, one has waited since 10, and `waiting` more since `time`.
    private func queue(
        length: Int = 100, waiting: Int, since time: Int64, _ priority: Priority = .interactive
    ) -> AdmissionQueue {
        var queue = AdmissionQueue(
            limits: AdmissionLimits(permits: 1, queueLength: length, waitLimit: 100, standingWork: 50))
        _ = queue.arrive(job(1, at: 0))
        _ = queue.finish(1, now: 10)
        _ = queue.arrive(job(2, at: 10))
        _ = queue.arrive(job(3, at: 10))
        for number in 0..<waiting { _ = queue.arrive(job(UInt64(4 + number), priority, at: time)) }
        return queue
    }

    private func refusal(
        by queue: AdmissionQueue, of priority: Priority = .interactive, travelling: Int = 0, waiting: Int = 0,
        time: Int64 = 0, at now: Int64
    ) -> Int? {
        let inflow = AdmissionQueue.Inflow(travelling: travelling, waiting: waiting, time: time)
        return queue.refusal(of: priority, behind: inflow, now: now)
    }

    @Test func `a bump may be as long as the queue, and what stands no longer than the work that is wanted`()
    {
        let queue = queue(waiting: 20, since: 60)
        #expect(refusal(by: queue, at: 60) == nil)
        #expect(refusal(by: queue, at: 110) == nil)
        #expect(refusal(by: queue, at: 111) == 1)
    }

    @Test func `it stands no more when nobody has waited for a moment`() {
        var queue = queue(waiting: 20, since: 60)
        for number in 2...23 as ClosedRange<UInt64> { _ = queue.finish(number, now: 105) }
        for number in 30...50 as ClosedRange<UInt64> { _ = queue.arrive(job(number, at: 121)) }
        #expect(queue.waitingCount == 20)
        #expect(refusal(by: queue, at: 130) == nil)
    }

    @Test func `it keeps those who are there and not overdue, however long it is`() {
        var queue = queue(waiting: 20, since: 60)
        #expect(queue.arrive(job(50, at: 112)) == [.refuse(3, retryAfter: 1)])
        #expect(queue.arrive(job(51, at: 113)) == [])
        #expect(queue.waitingCount == 22)
    }

    @Test func `there is as much room as there are some who give way`() {
        let lower = queue(waiting: 20, since: 60, .prefetch)
        #expect(refusal(by: lower, at: 111) == nil)
        #expect(refusal(by: lower, travelling: 4, at: 111) == nil)
        #expect(refusal(by: lower, travelling: 5, at: 111) == 1)
        #expect(refusal(by: lower, of: .prefetch, at: 111) == 1)
        let overdue = queue(waiting: 20, since: 10)
        #expect(refusal(by: overdue, at: 111) == nil)
        #expect(refusal(by: overdue, travelling: 5, at: 111) == 1)
    }

    @Test func `those on their way take turns as well, so that one client's many refuse nobody else`() {
        let clients = ([1, 2] as [UInt32]).map { Asker(ClientKey(.v4($0), prefix: 64)) }
        // One job waits.
        let queue = queue(length: 10, waiting: 0, since: 10)
        var inflow = AdmissionQueue.Inflow(travelling: 20)
        #expect(queue.refusal(of: .interactive, by: clients[1], behind: inflow, now: 20) == 1)
        inflow.travellers = [clients[0]: 20]
        #expect(queue.refusal(of: .interactive, by: clients[1], behind: inflow, now: 20) == nil)
        #expect(queue.refusal(of: .interactive, by: clients[0], behind: inflow, now: 20) == 1)
        #expect(queue.refusal(of: .interactive, behind: inflow, now: 20) == 1)
    }

    @Test func `those on their way are counted by client`() {
        let client = Asker(ClientKey(.v4(1), prefix: 64))
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueLength: 10))
        for number in 1...3 as ClosedRange<UInt64> {
            var job = job(number, at: 0)
            job.client = client
            _ = queue.arrive(job)
        }
        var inflow = queue.inflowByClient
        #expect(inflow.travellers[client] == 1 && inflow.askers[client] == 2)
        #expect(inflow.without(client).travelling == 0 && inflow.without(client).travellers[client] == 0)
        let known = inflow.takeKnown(waiting: true)
        #expect(known[client] == 3)
        #expect(inflow.travelling == 0 && inflow.waiting == 0)
    }

    @Test func `those on their way count, less those who will have been served by the time`() {
        let queue = queue(length: 10, waiting: 3, since: 10)
        #expect(refusal(by: queue, travelling: 5, at: 20) == nil)
        #expect(refusal(by: queue, travelling: 6, at: 20) == 1)
        #expect(refusal(by: queue, travelling: 6, time: 9, at: 20) == 1)
        #expect(refusal(by: queue, travelling: 6, time: 10, at: 20) == nil)
    }

    @Test func `those who have not set out yet count where it stands`() {
        let queue = queue(waiting: 3, since: 60)
        #expect(refusal(by: queue, waiting: 1000, at: 60) == nil)
        #expect(refusal(by: queue, waiting: 1, at: 111) == nil)
        #expect(refusal(by: queue, waiting: 2, at: 111) == 1)
    }

    @Test func `where nobody waits, everybody may come, whoever is on the way`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueLength: 1))
        #expect(refusal(by: queue, travelling: 1000, waiting: 1000, at: 0) == nil)
        _ = queue.arrive(job(1, at: 0))
        #expect(refusal(by: queue, travelling: 1000, waiting: 1000, at: 0) == nil)
        _ = queue.arrive(job(2, at: 0))
        #expect(refusal(by: queue, at: 0) == 1)
    }

    @Test func `without a queue, whoever finds no permit is refused`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 1, queueLength: 0))
        #expect(refusal(by: queue, at: 0) == nil)
        _ = queue.arrive(job(1, at: 0))
        #expect(refusal(by: queue, at: 0) == 1)
    }
}
