// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPCaching
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AdmissionTests {
    private let clock = HandMovedClock()

    private func enter(
        _ admission: Admission, _ priority: LivePriority = LivePriority(.interactive)
    ) -> TestTask<Result<Admission.Permit, PipelineFailure>> {
        TestTask {
            do throws(PipelineFailure) {
                return .success(try await admission.enter(priority: priority))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test func `who waits is told how long it was`() async throws {
        let admission = Admission(limits: AdmissionLimits(permits: 1), environment: clock)
        let first = try await enter(admission).value.get()
        #expect(first.queued == 0)
        let second = enter(admission)
        try await until { admission.waiting == 1 }
        clock.advance(seconds: 0.5)
        admission.leave(first)
        #expect(try await second.value.get().queued == 500_000)
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 1), (4, 2), (9, 4)])
    func `it is idle while nobody waits and less than half of the permits are taken`(
        permits: Int, most: Int
    ) async throws {
        let admission = Admission(limits: AdmissionLimits(permits: permits), environment: clock)
        var taken: [Admission.Permit] = []
        while taken.count < permits {
            #expect(admission.isIdle(beside: 0) == (taken.count < most), "\(taken.count)")
            taken.append(try await enter(admission).value.get())
        }
        let waiter = enter(admission)
        try await until { admission.waiting == 1 }
        #expect(!admission.isIdle(beside: 0))
        for permit in taken { admission.leave(permit) }
        admission.leave(try await waiter.value.get())
        #expect(admission.isIdle(beside: most - 1) && !admission.isIdle(beside: most))
    }

    @Test func `a permit given back twice frees one permit`() async throws {
        let admission = Admission(limits: AdmissionLimits(permits: 1), environment: clock)
        let first = try await enter(admission).value.get()
        let second = enter(admission)
        let third = enter(admission)
        try await until { admission.waiting == 2 }
        admission.leave(first)
        admission.leave(first)
        #expect(admission.waiting == 1)
        #expect(admission.running == 1)
        second.cancel()
        third.cancel()
        _ = (await second.value, await third.value)
    }

    @Test func `a cancelled waiter leaves the queue at once`() async throws {
        let admission = Admission(limits: AdmissionLimits(permits: 1), environment: clock)
        let first = try await enter(admission).value.get()
        let second = enter(admission)
        try await until { admission.waiting == 1 }
        second.cancel()
        #expect(await second.value.failure == .cancelled)
        #expect(admission.waiting == 0)
        admission.leave(first)
        #expect(admission.running == 0)
    }

    @Test func `the deadline refuses a waiter even when nothing else happens`() async throws {
        let admission = Admission(
            limits: AdmissionLimits(permits: 1, queueAge: 3_000_000), environment: clock)
        _ = try await enter(admission).value.get()
        let second = enter(admission)
        // Counting `waiting` is not enough: the alarm is set a moment after the job is in the queue, and another alarm may follow.
        try await until { clock.alarms > 0 }
        clock.advance(seconds: 2.9)
        #expect(admission.waiting == 1)
        clock.advance(seconds: 0.2)
        #expect(await second.value.failure == .overloaded(retryAfter: 1))
    }

    @Test func `a priority that rises while its work waits is heard`() async throws {
        let admission = Admission(limits: AdmissionLimits(permits: 1), environment: clock)
        let first = try await enter(admission).value.get()
        let rising = LivePriority(.refresh)
        let ahead = enter(admission, LivePriority(.prefetch))
        let promoted = enter(admission, rising)
        try await until { admission.waiting == 2 }
        rising.raise(to: .interactive)
        admission.leave(first)
        let permit = try await promoted.value.get()
        #expect(admission.waiting == 1)
        admission.leave(permit)
        _ = try await ahead.value.get()
    }

    @Test func `beyond the queue a request is refused with the time to come again`() async throws {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering) {
            $0.decodes = AdmissionLimits(permits: 1, queueLength: 1)
        }
        let running = node.client(node.request(width: 1))
        try await until { rendering.held == 1 }
        let waiting = node.client(node.request(width: 2))
        try await until { node.pipeline.decodes.waiting == 1 }
        let newest = node.client(node.request(width: 3))
        #expect(await newest.value.failure == .overloaded(retryAfter: 1))
        #expect(node.pipeline.counters.overloaded.read() == 1)
        rendering.open()
        #expect(try await running.value.get().outcome == .rendered)
        #expect(try await waiting.value.get().outcome == .rendered)
        // The overload was refused, but not remembered.
        #expect(try await node.answer(width: 3).outcome == .rendered)
    }

    @Test func `a client with most in the decoders' queue gives way to one that comes later`() async throws {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering) {
            $0.decodes = AdmissionLimits(permits: 1, queueLength: 2)
        }
        func ask(_ width: Int, by client: UInt32) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            var request = node.request(width: width)
            request.client = ClientKey(.v4(client), prefix: 64)
            return node.client(request)
        }
        let running = ask(1, by: 1)
        try await until { rendering.held == 1 }
        let waiting = ask(2, by: 1)
        try await until { node.pipeline.decodes.waiting == 1 }
        let newest = ask(3, by: 1)
        try await until { node.pipeline.decodes.waiting == 2 }
        let other = ask(4, by: 2)
        #expect(await newest.value.failure == .overloaded(retryAfter: 1))
        rendering.open()
        for task in [running, waiting, other] { #expect(try await task.value.get().outcome == .rendered) }
    }

    @Test func `a picture that another client wants as well waits for no second turn of the first`()
        async throws
    {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering) {
            $0.decodes = AdmissionLimits(permits: 1, queueLength: 20)
        }
        func ask(_ width: Int, by client: UInt32) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            var request = node.request(width: width)
            request.client = ClientKey(.v4(client), prefix: 64)
            return node.client(request)
        }
        var all = [ask(1, by: 1)]
        try await until { rendering.held == 1 }
        for width in 2...12 {
            all.append(ask(width, by: 1))
            try await until { node.pipeline.decodes.waiting == width - 1 }
        }
        let joining = ask(12, by: 2)
        // Counting `renditions.waiting` is not enough: a client that joins lends the work its turn a moment after it is counted.
        try await until { node.pipeline.decodes.inflowByClient.askers.count == 2 }
        rendering.open()
        for task in all + [joining] { _ = try await task.value.get() }
        #expect(
            node.decoder.jobs.map(\.recipe.width)
                == [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11].map { .pixels($0) })
    }

    @Test func `of those who want a picture each is known, however often another asks for it`() {
        let priority = LivePriority(.interactive)
        let (often, once) = (Asker(ClientKey(.v4(1), prefix: 64)), Asker(nil))
        for _ in 0..<9 { priority.raise(to: .interactive, for: often) }
        priority.raise(to: .interactive, for: once)
        #expect(priority.joined == [often, once])
    }

    @Test func `out of fetch permits, a stale original is better than none`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 1, queueLength: 0)
            $0.caching.defaultStaleIfError = 100
        }
        try await node.answer("/held.jpg")
        node.clock.advance(seconds: 60)
        fetching.close()
        let other = node.client(node.request("/other.jpg"))
        try await until { fetching.held == 1 }
        #expect(try await node.answer("/held.jpg").outcome == .stale)
        #expect(await node.failure("/third.jpg") == .overloaded(retryAfter: 1))
        fetching.open()
        _ = try await other.value.get()
    }

    @Test func `no more requests are at one origin than its permits`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 9, permitsPerGroup: 2)
        }
        let clients = (0..<6).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.fetches.waiting == 4 && fetching.held == 2 }
        #expect(node.origin.requests.count == 2)
        fetching.open()
        for client in clients { #expect(try await client.value.get().body.content.hasPrefix("one")) }
        #expect(node.origin.requests.count == 6)
    }

    @Test func `an interactive request that joins a prefetch in the queue brings it forward`() async throws {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering) { $0.decodes = AdmissionLimits(permits: 1) }
        let running = node.client(node.request(width: 1))
        try await until { rendering.held == 1 }
        let ahead = node.client(node.request(width: 2, priority: .prefetch))
        try await until { node.pipeline.decodes.waiting == 1 }
        let prefetch = node.client(node.request(width: 3, priority: .prefetch))
        try await until { node.pipeline.decodes.waiting == 2 }
        let joining = node.client(node.request(width: 3))
        // Counting `renditions.waiting` is not enough: a client that joins raises the work's class a moment after it is counted.
        try await until { node.pipeline.decodes.waiting(.interactive) == 1 }
        rendering.open()
        for client in [running, ahead, prefetch, joining] { _ = try await client.value.get() }
        #expect(node.decoder.jobs.map(\.recipe.width) == [.pixels(1), .pixels(3), .pixels(2)])
        #expect(node.decoder.jobs.map(\.priority) == [.interactive, .interactive, .prefetch])
    }

    @Test func `a client that leaves while its work waits for a permit takes the work with it`() async throws
    {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering) { $0.decodes = AdmissionLimits(permits: 1) }
        let running = node.client(node.request(width: 1))
        try await until { rendering.held == 1 }
        let leaving = node.client(node.request(width: 2))
        try await until { node.pipeline.decodes.waiting == 1 }
        leaving.cancel()
        #expect(await leaving.value.failure == .cancelled)
        try await until { node.pipeline.decodes.waiting == 0 }
        rendering.open()
        _ = try await running.value.get()
        #expect(node.decoder.jobs.count == 1)
    }
}
