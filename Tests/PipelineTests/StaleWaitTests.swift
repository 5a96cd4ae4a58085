// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import SourceURLs
import Testing

@testable import Pipeline

@Suite("What may be served stale does not wait for a silent origin", .timeLimit(.minutes(1)))
struct StaleWaitTests {
    private let fetching = Gate(open: true)

    /// Holds a picture that is stale now.
    private func world(staleIfError: Int32 = 1000) async throws -> World {
        let world = World(fetching: fetching) {
            $0.caching.defaultStaleIfError = staleIfError
            $0.staleWait = 500_000
        }
        try await world.answer()
        world.clock.advance(seconds: 60)
        fetching.close()
        return world
    }

    //   seconds   0                0.5              …                the origin answers
    //   first     waits            stale
    //   second                     stale at once
    //   third                                                        fresh
    @Test func `after a moment it is served, and the revalidation goes on`() async throws {
        let world = try await world()
        let first = world.client(world.request())
        try await until { fetching.held == 1 && world.clock.alarms > 0 }
        world.clock.advance(seconds: 0.499)
        #expect(world.pipeline.waitingRequests == 1)
        world.clock.advance(seconds: 0.001)
        #expect(try await first.value.get().outcome == .stale)
        #expect(try await world.answer().outcome == .stale)
        #expect(world.origin.requests.count == 2 && world.pipeline.originalsInFlight == 1)
        world.origin.says(.notModified([:]))
        fetching.open()
        try await until { world.pipeline.workInFlight == 0 }
        #expect(try await world.answer().outcome == .memoryHit)
        #expect(world.origin.requests.count == 2 && world.origin.cancelled == 0)
    }

    @Test func `an origin that answers in time is waited for`() async throws {
        let world = try await world()
        let client = world.client(world.request())
        try await until { fetching.held == 1 }
        world.clock.advance(seconds: 0.4)
        world.origin.says(.notModified([:]))
        fetching.open()
        #expect(try await client.value.get().outcome == .revalidated)
        world.clock.advance(seconds: 10)
        #expect(world.pipeline.workInFlight == 0)
    }

    @Test func `what may not be served stale is waited for as long as it takes`() async throws {
        let world = try await world(staleIfError: 0)
        let client = world.client(world.request())
        try await until { fetching.held == 1 }
        world.clock.advance(seconds: 10)
        #expect(world.pipeline.waitingRequests == 1)
        world.origin.says(.notModified([:]))
        fetching.open()
        #expect(try await client.value.get().outcome == .revalidated)
    }

    /// Pays nothing, and has something done at the moment at which work would begin.
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
        let world = try await world()
        fetching.open()
        var request = world.request()
        request.allowance = Moment {
            [cache = world.cache, clock = world.clock, key = request.source.bareKey] in
            cache.confirm(key, at: clock.now())
        }
        #expect(try await world.pipeline.answer(request).outcome == .memoryHit)
        #expect(world.origin.requests.count == 1)
    }

    @Test func `a client that leaves meanwhile takes the work with it, and one that was served does not`()
        async throws
    {
        let world = try await world()
        let leaver = world.client(world.request())
        try await until { fetching.held == 1 }
        leaver.cancel()
        #expect(await leaver.value.failure == .cancelled)
        try await until { world.origin.cancelled == 1 }
        let patient = world.client(world.request())
        try await until { fetching.held == 2 }
        // Its alarm is set at some moment after that.
        let time = Task {
            while !Task.isCancelled {
                world.clock.advanceToNextAlarm()
                await Task.yield()
            }
        }
        defer { time.cancel() }
        #expect(try await patient.value.get().outcome == .stale)
        #expect(world.origin.cancelled == 1 && world.pipeline.originalsInFlight == 1)
        fetching.open()
    }
}
