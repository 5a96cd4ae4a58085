// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import Recipes
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1)))
struct NotKeptTests {
    private static let one = TestBody(content: "one")

    @Test(arguments: [("no-store", Freshness.Flags.clientsMayNotStore), ("private", .privateToClients)])
    func `what may not be kept serves those who waited, and nobody after them`(
        directive: String, flag: Freshness.Flags
    ) async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        node.origin.says(.picture(Self.one, ["Cache-Control": directive]))
        let clients = (0..<5).map { _ in node.client(node.request()) }
        try await until { node.pipeline.originals.waiting == 5 }
        fetching.open()
        for client in clients {
            let answer = try await client.value.get()
            #expect(answer.outcome == .bypassed)
            #expect(!answer.isKept)
            #expect(answer.forwarding?.isStored == false)
            #expect(answer.original.freshness.flags.contains(flag))
        }
        #expect(node.origin.requests.count == 1)
        #expect(node.cache.originalCount == 0)
        #expect(node.cache.renditionCount == 0)
        #expect(try await node.answer().outcome == .bypassed)
        #expect(node.origin.requests.count == 2)
    }

    @Test func `an original that was kept is forgotten when its successor may not be`() async throws {
        let node = NodeUnderTest()
        try await node.answer()
        node.clock.advance(seconds: 60)
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "no-store"]))
        #expect(try await node.answer().body.content.hasPrefix("two as "))
        #expect(node.cache.originalCount == 0)
        #expect(node.cache.renditionCount == 1)
    }

    @Test func `it is forgotten as well if who gets its successor goes without the cache`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "no-store"]))
        let answer = try await node.clientWithoutCache(node.request()).value.get()
        #expect(answer.body.content.hasPrefix("two as "))
        #expect(node.cache.originalCount == 0)
    }

    @Test(arguments: ["no-store", "private"])
    func `ready answers of an evicted original end when its successor may not be kept`(
        directive: String
    ) async throws {
        let node = NodeUnderTest()
        try await node.answer()
        let key = node.request().key
        node.cache.evict(key)
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": directive]))
        #expect(try await node.answer(width: 70).body.content.hasPrefix("two as "))
        #expect(node.cache.ended == [key])
    }

    @Test func `what the disk refuses is served, and not told to be stored`() async throws {
        let node = NodeUnderTest()
        #expect(
            try await node.answer().forwarding == Forwarding(reason: .uriMiss, status: 200, isStored: true))
        node.cache.becomeFull()
        let answer = try await node.answer("/b.jpg")
        #expect(answer.isKept && answer.forwarding == Forwarding(reason: .uriMiss, status: 200))
    }

    @Test func `what is told of its pixels comes of the fetch that told the rest`() async throws {
        let node = NodeUnderTest()
        node.origin.says([
            .picture(Self.one, ["Cache-Control": "no-store"]),
            .picture(TestBody(content: "two"), ["Cache-Control": "no-store"]),
        ])
        var request = node.request(output: .json)
        request.recipe.jsonExtras = .thumbhash
        let description = try await node.pipeline.describe(request)
        #expect(description.answer.body.content == "one")
        #expect(description.pixels?.content.hasPrefix("one as ") == true)
        #expect(!description.answer.isKept)
        #expect(node.origin.requests.count == 1)
        request.recipe.jsonExtras = []
        #expect(try await node.pipeline.describe(request).pixels == nil)
        #expect(node.cache.renditionCount == 0)
    }

    @Test func `a 304 with no-store still serves those who wait, in every size`() async throws {
        let node = NodeUnderTest()
        try await node.answer(width: 100)
        node.clock.advance(seconds: 60)
        node.origin.says(.notModified(["Cache-Control": "no-store"]))
        #expect(try await node.answer(width: 200).outcome == .bypassed)
        #expect(node.origin.requests.count == 2)
        #expect(node.cache.originalCount == 0)
    }
}
