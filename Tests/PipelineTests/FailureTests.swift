// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import ImageModel
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    @Test func `a failure is shared by those who waited, and forgotten after its time`() async throws {
        let fetching = Gate()
        let world = World(fetching: fetching) { $0.negative.serverError = 5 }
        world.origin.says(.failure(.status(500, retryAfter: nil)))
        let clients = (0..<10).map { world.client(world.request(width: 100 + $0)) }
        await until { world.pipeline.originals.waiting == 10 }
        fetching.open()
        for client in clients {
            let failure = try #require(await client.value.failure)
            #expect(failure.reason == .origin(.status(500, retryAfter: nil)))
            #expect(failure.rememberedFor == 5)
            #expect(failure.outcome == .refused)
        }
        #expect(world.origin.requests.count == 1)
        world.clock.advance(seconds: 5)
        world.origin.says(.picture(TestBody(content: "one"), [:]))
        #expect(try await world.answer().outcome == .rendered)
    }

    private static let policy = NegativePolicy()

    @Test(arguments: [
        (OriginFailure.status(404, retryAfter: nil), policy.notFound),
        (.status(410, retryAfter: nil), policy.notFound), (.status(403, retryAfter: nil), policy.clientError),
        (.status(500, retryAfter: nil), policy.serverError), (.status(503, retryAfter: 120), 120),
        (.status(503, retryAfter: 100_000), policy.maximum),
        (.status(429, retryAfter: 1), policy.clientError),
        (.nameNotResolved, policy.nameNotResolved), (.cannotConnect, policy.unreachable),
        (.tls, policy.unreachable), (.timedOut, policy.unreachable), (.tooLarge(limit: 9), policy.notAnImage),
    ])
    func `each failure is remembered for its own time`(failure: OriginFailure, seconds: Int) async {
        let world = World()
        world.origin.says(.failure(failure))
        #expect(await world.failure() == PipelineFailure(.origin(failure), rememberedFor: seconds))
        world.clock.advance(seconds: Double(seconds) - 1)
        let again = await world.failure(width: 200)
        #expect(again == PipelineFailure(.origin(failure), rememberedFor: 1, isFromMemory: true))
        #expect(again?.outcome == .negative)
        #expect(world.origin.requests.count == 1)
        #expect(world.pipeline.counters.negativeHits.read() == 1)
        world.clock.advance(seconds: 1)
        #expect(await world.failure()?.isFromMemory == false)
        #expect(world.origin.requests.count == 2)
    }

    @Test(arguments: [OriginFailure.sourceRefused, .overloaded(retryAfter: 3), .unavailable, .cancelled])
    func `our own troubles are not held against the origin`(failure: OriginFailure) async {
        let world = World()
        world.origin.says(.failure(failure))
        #expect(await world.failure()?.rememberedFor == 0)
        #expect(await world.failure()?.isFromMemory == false)
        #expect(world.origin.requests.count == 2)
    }

    @Test func `one URL's failure says nothing of another's`() async throws {
        let world = World()
        world.origin.says(.failure(.status(404, retryAfter: nil)))
        _ = await world.failure("/a.jpg")
        world.origin.says(.picture(TestBody(content: "one"), [:]))
        #expect(try await world.answer("/b.jpg").outcome == .rendered)
    }

    @Test func `what is no image is refused by its header, remembered, and not kept`() async {
        let world = World()
        world.origin.says(.picture(TestBody(content: "words", header: nil), ["Cache-Control": "max-age=60"]))
        #expect(await world.failure()?.reason == .decode(.notAnImage))
        #expect(await world.failure()?.outcome == .negative)
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.isEmpty)
        #expect(world.shelf.originalCount == 0)
    }

    @Test func `bytes that broke a decoder are kept from it in every size, until they change`() async throws {
        let world = World()
        world.decoder.fails(.damaged)
        #expect(await world.failure(width: 100)?.reason == .decode(.damaged))
        let other = await world.failure(width: 200)
        #expect(other?.reason == .decode(.damaged))
        #expect(other?.outcome == .negative)
        #expect(world.decoder.jobs.count == 1)
        world.decoder.fails(nil)
        world.clock.advance(seconds: 60)
        world.origin.says(.picture(TestBody(content: "repaired"), [:]))
        #expect(try await world.answer().outcome == .rendered)
    }

    @Test func `a rendering that took too long says nothing of other sizes`() async throws {
        let world = World()
        world.decoder.fails(.timedOut)
        #expect(await world.failure(width: 5000)?.reason == .decode(.timedOut))
        #expect(await world.failure(width: 5000)?.outcome == .negative)
        world.decoder.fails(nil)
        #expect(try await world.answer(width: 100).outcome == .rendered)
    }

    @Test func `a decoder that could not be started is tried again`() async throws {
        let world = World()
        world.decoder.fails(.unavailable)
        #expect(await world.failure()?.reason == .unavailable)
        world.decoder.fails(nil)
        #expect(try await world.answer().outcome == .rendered)
    }

    @Test func `the memory of failures is bounded, and keeps the longest lasting`() {
        let memory = FailureMemory(capacity: 80)
        for number in 1...1000 {
            let key = OriginalKey(url: "http://origin.test/\(number)")
            let failure = PipelineFailure(.origin(.timedOut))
            memory.remember(failure, about: .origin(key), of: key, seconds: number, now: 0)
            #expect(memory.count <= 80)
            #expect(memory.failure(about: .origin(key), now: 0) != nil)
        }
        #expect(memory.count > 60)
    }

    @Test func `what has expired makes room first`() {
        let memory = FailureMemory(capacity: 8)
        let failure = PipelineFailure(.origin(.timedOut))
        let long = FailureMemory.Subject.origin(OriginalKey(url: "long"))
        memory.remember(failure, about: long, of: OriginalKey(url: ""), seconds: 2, now: 0)
        for number in 1...7 {
            let key = OriginalKey(url: "\(number)")
            memory.remember(failure, about: .origin(key), of: key, seconds: 1, now: 0)
        }
        let new = OriginalKey(url: "new")
        memory.remember(failure, about: .origin(new), of: new, seconds: 1, now: 1_500_000)
        #expect(memory.count == 2)
        #expect(memory.failure(about: long, now: 1_500_000)?.rememberedFor == 1)
    }
}
