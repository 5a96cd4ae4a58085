// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1)))
struct PolicyTests {
    @Test func `a source that is no longer permitted is refused, though its picture is held`() async throws {
        let world = World()
        try await world.answer()
        world.origin.close()
        let failure = try #require(await world.failure())
        #expect(failure.reason == .origin(.sourceRefused))
        #expect(failure.rememberedFor == 0)
        #expect(world.origin.requests.count == 1)
    }
}
