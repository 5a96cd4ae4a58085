// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1)))
struct PolicyTests {
    @Test func `a source that is no longer permitted is refused, though its picture is held`() async throws {
        let node = NodeUnderTest()
        try await node.answer()
        node.origin.close()
        let failure = try #require(await node.failure())
        #expect(failure.reason == .origin(.sourceRefused))
        #expect(failure.rememberedFor == 0)
        #expect(node.origin.requests.count == 1)
    }
}
