// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import SourceURLs
import Testing

@testable import Pipeline

@Suite("What may be served stale does not wait for a silent origin", .timeLimit(.minutes(1)))
struct StaleWaitTests {
    private let fetching = Gate(open: true)

    /// A node that holds a stale picture.
    private func node(staleIfError: Int32 = 1000) async throws -> NodeUnderTest {
        let node = NodeUnderTest(fetching: fetching) {
            $0.caching.defaultStaleIfError = staleIfError
            $0.staleWait = 500_000
        }
        try await node.answer()
        node.clock.advance(seconds: 60)
        fetching.close()
        return node
    }

    //   seconds   0                0.5              …                the origin answers
    //   first     waits            stale
    //   second                     stale at once
    //   third                                                        fresh
    @Test func `after a moment it is served, and the revalidation goes on`() async throws {
        let node = try await node()
        let first = node.client(node.request())
        try await until { fetching.held == 1 && node.clock.alarms > 0 }
        node.clock.advance(seconds: 0.499)
        #expect(node.pipeline.waitingRequests == 1)
        node.clock.advance(seconds: 0.001)
        #expect(try await first.value.get().outcome == .stale)
        #expect(try await node.answer().outcome == .stale)
        #expect(node.origin.requests.count == 2 && node.pipeline.originalsInFlight == 1)
        node.origin.says(.notModified([:]))
        fetching.open()
        try await until { node.pipeline.workInFlight == 0 }
        #expect(try await node.answer().outcome == .memoryHit)
        #expect(node.origin.requests.count == 2 && node.origin.cancelled == 0)
    }

    @Test func `an origin that answers in time is waited for`() async throws {
        let node = try await node()
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        node.clock.advance(seconds: 0.4)
        node.origin.says(.notModified([:]))
        fetching.open()
        #expect(try await client.value.get().outcome == .revalidated)
        node.clock.advance(seconds: 10)
        #expect(node.pipeline.workInFlight == 0)
    }

    @Test func `what may not be served stale is waited for as long as it takes`() async throws {
        let node = try await node(staleIfError: 0)
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        node.clock.advance(seconds: 10)
        #expect(node.pipeline.waitingRequests == 1)
        node.origin.says(.notModified([:]))
        fetching.open()
        #expect(try await client.value.get().outcome == .revalidated)
    }

    /// An allowance that costs nothing, and runs `work` at the moment when the request's work would begin.
    private struct Moment: Allowance {
        let work: @Sendable () -> Void

        func pay() -> Payment {
            work()
            return .alreadyPaid
        }
        func giveBack() {}
    }

    //   request                        another
    //   finds the original stale
    //                                  confirms it
    //   begins, and finds it fresh
    @Test func `what another request has confirmed meanwhile is not asked for again`() async throws {
        let node = try await node()
        fetching.open()
        var request = node.request()
        request.allowance = Moment {
            [cache = node.cache, clock = node.clock, key = request.source.bareKey] in
            cache.confirm(key, at: clock.now())
        }
        #expect(try await node.pipeline.answer(request).outcome == .memoryHit)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `a client that leaves meanwhile takes the work with it, and one that was served does not`()
        async throws
    {
        let node = try await node()
        let leaver = node.client(node.request())
        try await until { fetching.held == 1 }
        leaver.cancel()
        #expect(await leaver.value.failure == .cancelled)
        try await until { node.origin.cancelled == 1 }
        let patient = node.client(node.request())
        try await until { fetching.held == 2 }
        // The alarm is set at some moment after that, so time is moved repeatedly.
        let time = Task {
            while !Task.isCancelled {
                node.clock.advanceToNextAlarm()
                await Task.yield()
            }
        }
        defer { time.cancel() }
        #expect(try await patient.value.get().outcome == .stale)
        #expect(node.origin.cancelled == 1 && node.pipeline.originalsInFlight == 1)
        fetching.open()
    }
}
